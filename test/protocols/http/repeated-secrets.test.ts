import { inspect } from 'node:util'
import { type ClientOptions, createClient, type RetrieveOptions } from '@retriever/fetchers'
import { describe, expect, test } from 'vitest'
import { failure } from '../../support/failure.ts'
import { startScriptedServer } from '../../support/scripted-server.ts'
import { scriptedHttp } from './support/scripted-http.ts'

const password = 'pl4nted päss'
const basic = Buffer.from(`alice:${password}`).toString('base64')
const token = 't0ken-of-mine'

/** The error of an answer that repeats the request's secrets, and all that it and the events show. */
async function shown(scheme: string, begin: string, options: RetrieveOptions, login = '') {
  const words = `Bad alice:${password} ${basic} ${token}`
  await using server = await startScriptedServer((socket) => {
    socket.end(
      `${begin} ${words}\r\nCSeq: 1\r\nX-Said: ${words}\r\nContent-Length: ${words.length + 1}\r\n\r\n${words}`,
    )
  })
  return await failed(`${scheme}://${login}127.0.0.1:${server.port}/x`, options)
}

/** The error of a retrieval, and all that it and the events show. */
async function failed(url: string, options: RetrieveOptions, more: ClientOptions = {}) {
  const events: unknown[] = []
  const onEvent = (event: unknown): void => void events.push(event)
  await using client = createClient({ limits: { maxRetries: 0 }, onEvent, ...more })
  const error = await failure(client.retrieve(url, options))
  return { error, all: `${error.message}${JSON.stringify(error)}${JSON.stringify(events)}` }
}

test.each([
  ['http', 'HTTP/1.1 401'],
  ['http', 'HTTP/1.1 403'],
  ['http', 'HTTP/1.1 500'],
  ['http', 'nonsense'],
  ['ws', 'HTTP/1.1 401'],
  ['ws', 'HTTP/1.1 403'],
  ['ws', 'nonsense'],
])('%s: an answer "%s ..." that repeats password and token shows them nowhere', async (scheme, begin) => {
  const options = { login: { user: 'alice', password }, headers: { 'X-Token': token } }
  const { error, all } = await shown(scheme, begin, options)
  for (const secret of ['pl4nted', basic, token]) expect(all).not.toContain(secret)
  expect(error.message).toContain('Bad alice:<password> <password> <password>')
})

test.each([
  ['http', 'HTTP/1.1 400'],
  ['ws', 'HTTP/1.1 400'],
  ['rtsp', 'RTSP/1.0 400'],
])('%s: an answer that repeats the password of the URL does not show it', async (scheme, begin) => {
  const { error, all } = await shown(scheme, begin, {}, `alice:${encodeURIComponent(password)}@`)
  expect(all).not.toContain('pl4nted')
  expect(error.reply).toContain('400 Bad alice:<password>')
})

test.each([
  ['http', 'HTTP/1.1 400', 'a%20t0ken'],
  ['http', 'HTTP/1.1 400', 'a t0ken'],
  ['ws', 'HTTP/1.1 400', 'a t0ken'],
  ['rtsp', 'RTSP/1.0 400', 'a t0ken'],
])('%s: an answer "%s ..." that repeats %j, a token in the query of the URL, does not show it', async (...row) => {
  const [scheme, begin, word] = row
  await using server = await startScriptedServer((socket) => {
    socket.end(`${begin} No ${word}\r\nCSeq: 1\r\nX-Said: ${word}\r\nContent-Length: ${word.length}\r\n\r\n${word}`)
  })
  const { error, all } = await failed(`${scheme}://127.0.0.1:${server.port}/x?page=1&token=a%20t0ken`, {})
  expect(all).not.toContain('t0ken')
  expect(error.reply).toContain('400 No <password>')
})

test.each([
  ['200 OK', 'Content-Length', 'Content-Length is no number (t0ken:<password>)'],
  ['206 OK', 'Content-Range', 'another range than asked for (t0ken:<password>)'],
])('an answer %s whose %s repeats the password does not show it', async (status, field, message) => {
  await using server = await scriptedHttp(() => `HTTP/1.1 ${status}\r\n${field}: t0ken:s3cret\r\n\r\nab`)
  const { error, all } = await failed(server.url, { login: { user: 'alice', password: 's3cret' }, range: [0, 1] })
  expect(error.message).toContain(message)
  expect(inspect(error) + all).not.toContain('s3cret')
})

test('a reason that is the password, of the four octets that are the least to be hidden, is not shown', async () => {
  await using server = await scriptedHttp(() => 'HTTP/1.1 500 a4z9\r\nContent-Length: 0\r\n\r\n')
  const { error, all } = await failed(server.url, { login: { user: 'alice', password: 'a4z9' } })
  expect(all).not.toContain('a4z9')
  expect(error.reply).toBe('500 <password>')
})

test.each(['http', 'ws'])('%s: an answer that repeats a bearer token does not show it', async (scheme) => {
  const { error, all } = await shown(scheme, 'HTTP/1.1 401', { headers: { Authorization: `Bearer ${token}` } })
  expect(all).not.toContain(token)
  expect(error.reply).toMatch(/^401 Bad .* <password>$/)
})

test.each(['http', 'ws'])(
  '%s: the password within a login among the fields of the caller is not shown',
  async (scheme) => {
    const { error, all } = await shown(scheme, 'HTTP/1.1 403', { headers: { Authorization: `Basic ${basic}` } })
    for (const secret of ['pl4nted', basic]) expect(all).not.toContain(secret)
    expect(error.reply).toContain('403 Bad alice:<password> <password>')
  },
)

test.each(['evil:', 'http://['])(
  'a redirect to %s and the password, which is not followed, does not show it',
  async (begin) => {
    const said = Buffer.from(`${begin}${password}`).toString('latin1')
    await using server = await scriptedHttp(
      () => `HTTP/1.1 302 Found\r\nLocation: ${said}\r\nContent-Length: 0\r\n\r\n`,
    )
    const { error } = await failed(server.url, { login: { user: 'alice', password } })
    expect(error.message).toContain('<password>')
    expect(inspect(error, { depth: 9 })).not.toContain('pl4nted')
  },
)

test('an answer in pieces that is not HTTP is shown from its beginning, without the secret and what follows', async () => {
  const secret = 's3cr3t'.repeat(11)
  const octets = `\r\nH ${secret}${'n'.repeat(100)}`
  await using server = await scriptedHttp(() => ({ octets, end: 'fin' }), { segments: [3, 200] })
  const { error, all } = await failed(server.url, { headers: { 'X-Token': secret } })
  expect(all).not.toContain('s3cr3t')
  // 80 octets are kept, before the secret is masked.
  expect(error).toMatchObject({ code: 'protocol-violation', reply: `\\r\\nH <password>${'n'.repeat(10)}` })
})

describe('a password that was sent before the server asked for Digest is not shown either', () => {
  const digest = 'Digest realm="r", nonce="n", qop="auth"'
  const repeated = `Bad ${Buffer.from(password).toString('latin1')}`
  const refusal = `HTTP/1.1 403 ${repeated}\r\nContent-Length: ${repeated.length}\r\n\r\n${repeated}`

  test.each<[string, RetrieveOptions, string]>([
    ['of the caller', { login: { user: 'alice', password } }, ''],
    ['of the URL', {}, `alice:${encodeURIComponent(password)}@`],
  ])('%s', async (_whose, options, login) => {
    await using server = await scriptedHttp(({ fields }) => {
      if (/^Digest /.test(fields.authorization ?? '')) return refusal
      return `HTTP/1.1 401 No\r\nWWW-Authenticate: ${digest}\r\nContent-Length: 0\r\n\r\n`
    })
    const { error, all } = await failed(server.url.replace('//', `//${login}`), options)
    expect(server.asked.map(({ fields }) => fields.authorization?.split(' ')[0])).toEqual(['Basic', 'Digest'])
    expect(all).not.toContain('pl4nted')
    expect(error.reply).toContain('403 Bad <password>')
  })

  test('of a proxy', async () => {
    await using proxy = await scriptedHttp(({ fields }) => {
      if (/^Digest /.test(fields['proxy-authorization'] ?? '')) return refusal
      return `HTTP/1.1 407 No\r\nProxy-Authenticate: ${digest}\r\nContent-Length: 0\r\n\r\n`
    })
    const url = proxy.url.replace('//', `//alice:${encodeURIComponent(password)}@`)
    const { error, all } = await failed('http://h.example/x', {}, { proxy: url })
    expect(proxy.asked.map(({ fields }) => fields['proxy-authorization']?.split(' ')[0])).toContain('Digest')
    expect(all).not.toContain('pl4nted')
    expect(error.reply).toContain('403 Bad <password>')
  })
})
