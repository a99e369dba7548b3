import { connect, createServer } from 'node:net'
import { createClient } from '@retriever/fetchers'
import { startMqttServer, testCa } from '@retriever/servers'
import { expect, test } from 'vitest'
import { testFetcher } from '../../support/contract/fetcher.ts'
import { bytesOf } from '../../support/contract/observe.ts'
import { everyOctet } from '../../support/contract/octets.ts'

const lineEnd = Buffer.from('\n')

testFetcher({
  mechanism: 'mqtt',
  // The lengths in the plan are those of the mask, <password>.
  asked: [{ login: { user: 'alice', password: 'tensecrets' } }, { count: 2 }, { jsonMessages: true }],
  // Two messages, each with a line end behind it.
  bytes: Buffer.concat([everyOctet.subarray(0, 1000), lineEnd, everyOctet.subarray(1000), lineEnd]),
  stalls: [
    ['greeting', 'request'],
    ['login', 'request'],
    ['response', 'request'],
    ['body', 'body'],
  ],
  short: 10,
  async start(faults = {}) {
    const server = await startMqttServer({ faults, accounts: { alice: 'tensecrets' } })
    return {
      server,
      object: `${server.url}pub/a.bin`,
      login: (user, password) => `${server.url.replace('//', `//${user}:${password}@`)}pub/a.bin`,
    }
  },
})

const text = async (url: string, options = {}): Promise<string> => {
  await using client = createClient({ tls: { ca: testCa }, ...options })
  return Buffer.from(await bytesOf(client, url)).toString()
}

test('each payload is followed by a line end, even if it has one', async () => {
  await using server = await startMqttServer({ tls: true })
  expect(await text(`${server.url}pub/hello`)).toBe('Hello.\n\n')
  expect(await text(`${server.url}pub%2Fempty`)).toBe('\n')
})

test('the login: of the URL, of the caller, none, a wrong one', async () => {
  await using server = await startMqttServer({ auth: 'required' })
  const url = `${server.url}pub/hello`
  expect(await text(url.replace('//', '//alice:secret@'))).toBe('Hello.\n\n')
  expect(await text(url, { credentials: () => ({ user: 'alice', password: 'secret' }) })).toBe('Hello.\n\n')
  await expect(text(url)).rejects.toMatchObject({ code: 'auth-required' })
  await expect(text(url.replace('//', '//alice:no@'))).rejects.toMatchObject({ code: 'auth-failed' })
  const credentials = () => ({ user: 'alice', password: 'no' })
  await expect(text(url, { credentials })).rejects.toMatchObject({ code: 'auth-failed' })
})

test.each(['user', 'password'] as const)(
  'a %s of over 65535 octets, which no field holds, is not sent',
  async (name) => {
    await using server = await startMqttServer({ auth: 'required' })
    const codeOf = async (text: string): Promise<unknown> => {
      await using client = createClient({ limits: { maxRetries: 0 } })
      const login = { user: 'alice', password: 'no', [name]: text }
      return await client.retrieve(`${server.url}pub/hello`, { login }).catch(({ code }) => code)
    }
    expect(await codeOf(`x${'ü'.repeat(32_767)}`)).toBe('auth-failed')
    server.reset()
    expect(await codeOf('ü'.repeat(32_768))).toBe('refused')
    expect(server.received).toEqual([])
  },
)

test.each(['alice:secret@', ''])('the first CONNECT has the password that is known (%s)', async (user) => {
  await using server = await startMqttServer({ auth: 'required' })
  await using client = createClient()
  const login = user === '' ? { login: { user: 'alice', password: 'secret' } } : {}
  const url = `${server.url.replace('//', `//${user}`)}pub/hello`
  expect(Buffer.from(await bytesOf(client, url, login)).toString()).toBe('Hello.\n\n')
  expect(server.accepted).toBe(1)
})

test('a refused topic, and packets that do not fit', async () => {
  await using server = await startMqttServer()
  await expect(text(`${server.url}none`)).rejects.toMatchObject({ code: 'access-denied' })
  for (const [reply, code] of [
    ['\x90\x03\0\x01\0\x30\xff\xff\xff\xff\x01', 'protocol-violation'],
    ['\x90\x03\0\x01\0\x32\x04\0\0ab', 'protocol-violation'],
    ['\x90\x03\0\x01\0\x30\x03\0\x09a', 'protocol-violation'],
    ['\x90\x03\0\x01\0\x20\x02\0\0', 'protocol-violation'],
    ['\x90\x03\0\x01\0\x30\x09\0\x01a', 'partial'],
    ['\x90\x02\0\x01', 'protocol-violation'],
    ['\x90\x03\0\x02\0', 'protocol-violation'],
    ['', 'receive-failed'],
  ] as const) {
    server.setFaults({ replies: { 'pub/hello': reply } })
    await expect(text(`${server.url}pub/hello`, { limits: { maxRetries: 0 } })).rejects.toMatchObject({ code })
  }
})

test('messages may come before SUBACK (MQTT 3.1.1 3.8.4)', async () => {
  await using server = await startMqttServer()
  const [one, two] = ['\x30\x06\0\x01aone', '\x30\x06\0\x01atwo']
  server.setFaults({ replies: { 'pub/hello': `${one}\x90\x03\0\x01\0${two}` } })
  expect(await text(`${server.url}pub/hello`)).toBe('one\ntwo\n')
  server.setFaults({ replies: { 'pub/hello': `${one}\x90\x03\0\x01\x80` } })
  await expect(text(`${server.url}pub/hello`)).rejects.toMatchObject({ code: 'access-denied' })
  server.setFaults({ replies: { 'pub/hello': one.repeat(100) } })
  const limits = { maxReply: 256, maxRetries: 0 }
  await expect(text(`${server.url}pub/hello`, { limits })).rejects.toMatchObject({ code: 'limit-exceeded' })
})

test('a connection that ends within the head of a message cuts the answer', async () => {
  await using server = await startMqttServer()
  server.setFaults({ replies: { 'pub/hello': '\x90\x03\0\x01\0\x30\x90' } })
  await expect(text(`${server.url}pub/hello`)).rejects.toMatchObject({ code: 'partial' })
})

test.each([
  ['', /topic must follow/],
  ['a%23', /stand alone/],
  ['a/%23/b', /nothing follows/],
  ['a%2B', /stand alone/],
  ['a%00', /NUL/],
  ['a%C3', /UTF-8/],
  ['ü'.repeat(33_000), /65535/],
  ['ü'.repeat(32_768), /65535/],
])('bad topic %#: refused before any connection', async (topic, message) => {
  await using server = await startMqttServer()
  await expect(text(server.url + topic)).rejects.toMatchObject({
    code: 'malformed-url',
    message: expect.stringMatching(message),
  })
  expect(server.accepted).toBe(0)
})

test.each(['', 'alice@', 'alice:tensecrets@'])('the server gets what the plan says, by %j', async (user) => {
  await using server = await startMqttServer({ accounts: { alice: 'tensecrets' }, auth: 'none' })
  let octets = ''
  const relay = createServer((client) => {
    client.on('data', (chunk) => (octets += chunk.toString('latin1')))
    client.pipe(connect(server.port, '127.0.0.1')).pipe(client)
  })
  await new Promise<void>((resolve) => relay.listen(0, '127.0.0.1', resolve))
  await using client = createClient({ credentials: () => null })
  const url = `mqtt://${user}127.0.0.1:${Object(relay.address()).port}/pub/hello`
  // A name alone is refused, and no topic is asked for.
  const isWhole = user !== 'alice@'
  await (await client.retrieve(url).catch((error: unknown) => (isWhole ? Promise.reject(error) : null)))?.text()
  relay.close()
  const planned = client.resolve(url).plan.wire.slice(0, isWhole ? 2 : 1)
  // The password has the length of its mask.
  expect(octets.replace(/retriever[0-9a-f]{12}/, 'retriever<random-hex>')).toBe(
    planned.join('').replace('<password>', 'tensecrets'),
  )
})
