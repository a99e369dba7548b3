/** The login of requests in HTTP's form (WebSocket, RTSP): which challenge is answered, by what, and who is asked. */
import type { Challenge, ClientOptions, Credentials, RetrieveOptions } from '@retriever/fetchers'
import { createClient } from '@retriever/fetchers'
import { describe, expect, test } from 'vitest'
import { challenge, reply } from '../protocols/http/support/http-answers.ts'
import { scriptedHttp } from '../protocols/http/support/scripted-http.ts'
import { failure } from '../support/failure.ts'

interface Given {
  readonly credentials?: Credentials | null
  readonly request?: RetrieveOptions
  /** Before the host in the URL. */
  readonly user?: string
  readonly options?: ClientOptions
}

const alice = { user: 'alice', password: 's3cr3t' }
const basic = `Basic ${Buffer.from('alice:s3cr3t').toString('base64')}`
const digest = (more = ''): string => `Digest realm="r", nonce="n"${more}`

/** How a server that answers a login by 403 is asked for a WebSocket, and what the caller is asked and told. */
async function outcome(offer: string, { credentials = alice, request = {}, user = '', options = {} }: Given = {}) {
  await using server = await scriptedHttp(({ fields }) =>
    fields.authorization === undefined ? challenge(offer) : reply(403, {}),
  )
  const questions: Challenge[] = []
  await using client = createClient({
    limits: { maxRetries: 0 },
    credentials: (question) => {
      questions.push(question)
      return credentials
    },
    ...options,
  })
  const error = await failure(client.retrieve(`ws://${user}127.0.0.1:${server.port}/x`, request))
  return { error, questions, sent: server.asked.map(({ fields }) => fields.authorization ?? null), port: server.port }
}

const wantsLogin = { code: 'auth-required', status: 401, phase: 'login' }
const unsupported = { ...wantsLogin, message: expect.stringContaining('not supported') }

describe('a challenge', () => {
  test.each([
    'Foo realm="r", nonce="n"',
    'Digest realm="r"',
    'Digest nonce="n"',
    digest(', algorithm=SHA3'),
    digest(', algorithm=constructor'),
    digest(', qop="auth-int"'),
    digest(', algorithm=MD5-sess'),
    'Bearer realm="r"',
  ])('that nobody here can answer gets no login: %s', async (offer) => {
    const { error, sent } = await outcome(offer)
    expect(error).toMatchObject(unsupported)
    expect(sent).toEqual([null])
  })

  test('of Basic behind others is answered', async () => {
    expect((await outcome('Bearer realm="r", Basic realm="r"')).sent).toEqual([null, basic])
  })

  test('of Digest gets what it has, and nothing that it has not', async () => {
    const { sent, port } = await outcome(digest(', charset=UTF-8'))
    expect(port).toBeGreaterThan(0)
    expect(sent[1]).toMatch(/^Digest username="alice", realm="r", uri="\/x", nonce="n", response="[0-9a-f]{32}"$/)
    const [, full] = (await outcome(digest(', qop="auth-int,auth", algorithm=MD5, opaque="o"'))).sent
    expect(full).toMatch(
      /^Digest username="alice", realm="r", uri="\/x", algorithm=MD5, nonce="n", nc=00000001, cnonce="[^"]+", qop=auth, response="[0-9a-f]{32}", opaque="o"$/,
    )
  })

  test('without an answer of the caller names the option', async () => {
    const { error, sent } = await outcome('Basic realm="r"', { credentials: null })
    expect(error).toMatchObject({ ...wantsLogin, advice: { option: 'credentials' } })
    expect(sent).toEqual([null])
  })
})

describe('the caller', () => {
  test('is asked with the realm, or the host without one, and the user of the URL', async () => {
    const asked = async (offer: string, user = '') => (await outcome(offer, { user })).questions
    expect(await asked('Basic realm="r"')).toMatchObject([{ realm: 'r', host: '127.0.0.1', user: null }])
    expect(await asked(digest())).toMatchObject([{ realm: 'r' }])
    expect(await asked('Basic', '%C3%A9@')).toMatchObject([{ realm: '127.0.0.1', user: 'é' }])
    const [long] = await asked(`Basic realm="${'x'.repeat(300)}"`)
    expect(long?.realm).toHaveLength(200)
  })

  test('who gives the field itself is asked nothing', async () => {
    const request = { headers: { Authorization: 'Bearer t' } }
    await using server = await scriptedHttp(() => challenge('Basic realm="r"'))
    await using client = createClient({ credentials: () => expect.fail('asked') })
    const error = await failure(client.retrieve(`ws://127.0.0.1:${server.port}/x`, request))
    expect(error).toMatchObject({ code: 'auth-failed', advice: { option: 'headers', value: 'Authorization' } })
    expect(server.asked).toHaveLength(1)
  })

  test('who wants Digest alone sends nothing by Basic, and nothing with the first request', async () => {
    const request = { login: alice, digest: true }
    expect(await outcome('Basic realm="r"', { request })).toMatchObject({
      error: { code: 'auth-required' },
      sent: [null],
    })
    expect((await outcome(digest(), { request })).sent).toEqual([null, expect.stringMatching(/^Digest /)])
    expect((await outcome(digest(), { request: { login: alice } })).sent).toEqual([basic])
  })

  test('has no colon in a user that goes by Basic, but may have one by Digest', async () => {
    const credentials = { user: 'a:b', password: 's3cr3t' }
    const refused = { code: 'refused', phase: 'policy' }
    expect(await outcome('Basic', { credentials })).toMatchObject({ error: refused, sent: [null] })
    expect(await outcome('Basic', { request: { login: credentials } })).toMatchObject({ error: refused, sent: [] })
    const request = { login: credentials, digest: true }
    expect((await outcome(digest(), { request })).sent).toEqual([null, expect.stringContaining('username="a:b"')])
    expect((await outcome(digest(), { credentials })).sent).toEqual([null, expect.stringContaining('username="a:b"')])
  })
})

describe('one after another', () => {
  /** A client that is asked for logins at two paths of a server, and how often it was. */
  async function questions(offer: (target: string) => string, then: Buffer, stop?: AbortController) {
    await using server = await scriptedHttp(({ fields, target }) => {
      if (fields.authorization === undefined) return challenge(offer(target))
      if (stop === undefined || target !== '/a') return then
      stop.abort()
      return undefined
    })
    let count = 0
    await using client = createClient({
      limits: { maxRetries: 0 },
      credentials: async () => {
        count++
        await new Promise(setImmediate)
        return alice
      },
    })
    const url = `ws://127.0.0.1:${server.port}`
    const one = failure(client.retrieve(`${url}/a`, stop === undefined ? {} : { signal: stop.signal }))
    const errors = [await one, await failure(client.retrieve(`${url}/b`))]
    return { count, codes: errors.map(({ code }) => code) }
  }

  test.each([
    ['the same', () => 'Basic realm="r"'],
    ['another realm', (target: string) => `Basic realm="${target}"`],
    ['another kind', (target: string) => (target === '/a' ? 'Basic realm="r"' : digest())],
  ] as const)('each asks while no login was accepted: %s', async (_, offer) => {
    expect(await questions(offer, reply(500, {}))).toEqual({ count: 2, codes: ['http-error', 'http-error'] })
  })

  test('one that is aborted lets the next one ask', async () => {
    const { count, codes } = await questions(() => 'Basic realm="r"', reply(500, {}), new AbortController())
    expect([count, codes]).toEqual([2, ['aborted', 'http-error']])
  })
})

test('a login that was accepted is that of its realm and of the ways that the server offers', async () => {
  let offer = 'Basic realm="one"'
  await using server = await scriptedHttp(({ fields }) => {
    const answer = fields.authorization === undefined ? `401 No\r\nWWW-Authenticate: ${offer}` : '200 OK'
    return { octets: `RTSP/1.0 ${answer}\r\nCSeq: ${fields.cseq}\r\nContent-Length: 0\r\n\r\n` }
  })
  const realms: string[] = []
  const credentials = ({ realm }: Challenge) => {
    realms.push(realm)
    return alice
  }
  await using client = createClient({ credentials, limits: { maxRetries: 0 } })
  const offers = [
    'Basic realm="one"',
    'Basic realm="one"',
    'Basic realm="two"',
    'Basic',
    'X, Basic',
    'Digest realm="one", nonce="n"',
  ]
  for (const each of offers) {
    offer = each
    await (await client.retrieve(`rtsp://127.0.0.1:${server.port}/x`)).text()
  }
  expect(realms).toEqual(['one', 'two', '127.0.0.1', '127.0.0.1', 'one'])
})
