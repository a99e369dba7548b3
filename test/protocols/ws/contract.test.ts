import { createClient } from '@retriever/fetchers'
import { startWsServer } from '@retriever/servers'
import { expect, test } from 'vitest'
import { testFetcher } from '../../support/contract/fetcher.ts'
import { bytesOf } from '../../support/contract/observe.ts'

testFetcher({
  mechanism: 'ws',
  asked: [
    { count: 2 },
    { headers: { 'X-Test': 'a b', 'X-Token': 'tensecrets' } },
    { login: { user: 'alice', password: 'secret' } },
    { login: { user: 'alice', password: 'secret' }, headers: { Authorization: 'Bearer x' } },
    { login: { user: 'alice', password: 'secret' }, digest: true },
  ],
  bytes: Buffer.from('one\nGrüße\n\n'),
  stalls: [
    ['greeting', 'request'],
    ['response', 'request'],
    ['body', 'body'],
  ],
  short: 4,
  async start(faults = {}) {
    const server = await startWsServer({ faults })
    return {
      server,
      object: `${server.url}texts`,
      missing: `${server.url}none`,
      login: (user, password) => `${server.url.replace('//', `//${user}:${password}@`)}texts`,
    }
  },
})

test.each([
  ['binary', Buffer.from(Uint8Array.from({ length: 256 }, (_, octet) => octet))],
  ['fragments', Buffer.from('abc\n')],
])('%s', async (path, octets) => {
  await using server = await startWsServer()
  await using client = createClient()
  expect(Buffer.from(await bytesOf(client, server.url + path))).toEqual(octets)
})

test.each([
  ['failure', 'server-refused'],
  ['reserved', 'protocol-violation'],
  ['masked', 'protocol-violation'],
  ['orphan', 'protocol-violation'],
  ['long-ping', 'protocol-violation'],
])('%s is %s', async (path, code) => {
  await using server = await startWsServer()
  await using client = createClient()
  await expect(bytesOf(client, server.url + path)).rejects.toMatchObject({ code })
  await server.waitForConnections(0)
})

test.each([
  ['HTTP/1.1 401 Unauthorized\r\n\r\n', 'auth-required'],
  ['HTTP/1.1 403 Forbidden\r\n\r\n', 'access-denied'],
  ['HTTP/1.1 500 No\r\n\r\n', 'http-error'],
  ['HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nSec-WebSocket-Accept: x\r\n\r\n', 'protocol-violation'],
  ['HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\n\r\n', 'protocol-violation'],
  [`HTTP/1.1 101 Switching Protocols\r\n${'X: y\r\n'.repeat(201)}\r\n`, 'limit-exceeded'],
  ['', 'receive-failed'],
])('the answer %j is %s', async (reply, code) => {
  await using server = await startWsServer({ faults: { replies: { '/texts': reply } } })
  await using client = createClient({ limits: { maxRetries: 0 } })
  await expect(bytesOf(client, `${server.url}texts`)).rejects.toMatchObject({ code })
})

test('header fields of the caller are sent, but not those of the handshake', async () => {
  await using server = await startWsServer({ hosts: ['example.org'] })
  await using client = createClient()
  const headers = { Origin: 'https://example.org', 'Sec-WebSocket-Version': '8' }
  await (await client.retrieve(`${server.url}texts`, { headers })).bytes()
  expect(server.received).toContain('Origin: https://example.org')
  expect(server.received.filter((line) => /version/i.test(line))).toEqual(['Sec-WebSocket-Version: 13'])
})

test('the login goes with the handshake: of the URL, of the caller, once it is asked for, a wrong one', async () => {
  await using server = await startWsServer({ auth: 'required' })
  const url = `${server.url}texts`
  const typed = url.replace('//', '//alice:secret@')
  const login = { user: 'alice', password: 'secret' }
  const read = async (url: string, options = {}, more = {}): Promise<string> => {
    await using client = createClient(more)
    return Buffer.from(await bytesOf(client, url, options)).toString()
  }
  for (const [given, options] of [
    [typed, {}],
    [url, { login }],
  ] as const) {
    server.reset()
    expect(await read(given, options)).toContain('one\n')
    expect(server.accepted).toBe(1)
  }
  expect(await read(url, {}, { credentials: () => login })).toContain('one\n')
  await expect(read(url)).rejects.toMatchObject({ code: 'auth-required', status: 401 })
  await expect(read(url, { login: { user: 'alice', password: 'no' } })).rejects.toMatchObject({ code: 'auth-failed' })
  await expect(read(url, { login, digest: true })).rejects.toMatchObject({ code: 'auth-required' })
  const bearer = { headers: { Authorization: 'Bearer x' }, login }
  await expect(read(url, bearer)).rejects.toMatchObject({ code: 'auth-failed' })
})
