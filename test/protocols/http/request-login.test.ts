/** RequestOptions.login: a login that is sent before the server asks for one. */
import { createServer } from 'node:http'
import { createClient } from '@retriever/fetchers'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { failure } from '../../support/failure.ts'

interface Sent {
  readonly url: string | undefined
  readonly authorization: string | undefined
}

const sent: Sent[] = []
/** The challenge of a 401 to each request that has no login of this scheme. Null: all are answered. */
let wanted: { readonly scheme: string; readonly challenge: string } | null = null
let elsewhere = ''
const server = createServer(({ url, headers: { authorization } }, response) => {
  sent.push({ url, authorization })
  if (url === '/same') return void response.writeHead(302, { Location: '/x' }).end()
  if (url === '/other') return void response.writeHead(302, { Location: elsewhere }).end()
  if (url === '/gone') return void response.writeHead(404).end()
  if (wanted !== null && authorization?.startsWith(wanted.scheme) !== true) {
    return void response.writeHead(401, { 'WWW-Authenticate': wanted.challenge }).end()
  }
  response.end(authorization === undefined ? 'anonymous' : 'in')
})
const other = createServer(({ url, headers: { authorization } }, response) => {
  sent.push({ url, authorization })
  const location = url === '/back' ? `${origin}/x` : null
  if (location === null) response.end('other')
  else response.writeHead(302, { Location: location }).end()
})
let origin = ''

beforeAll(async () => {
  const ports = await Promise.all(
    [server, other].map(async (each) => {
      await new Promise<void>((resolve) => each.listen(0, '127.0.0.1', resolve))
      const address = each.address()
      return typeof address === 'object' ? address?.port : ''
    }),
  )
  origin = `http://127.0.0.1:${ports[0]}`
  elsewhere = `http://127.0.0.1:${ports[1]}/back`
})
beforeEach(() => {
  sent.length = 0
  wanted = null
})
afterAll(() => {
  server.close()
  other.close()
})

const login = { user: 'älice', password: 's3:cr3t' }
const basic = `Basic ${Buffer.from('älice:s3:cr3t').toString('base64')}`
const authorizations = (): (string | undefined)[] => sent.map(({ authorization }) => authorization)

test('is sent with the first request, also where none is asked for', async () => {
  await using client = createClient()
  expect(await (await client.retrieve(`${origin}/`, { login })).text()).toBe('in')
  expect(await failure(client.retrieve(`${origin}/gone`, { login }))).toMatchObject({ code: 'not-found' })
  expect(authorizations()).toEqual([basic, basic])
})

test('replaces the login of the URL, and stays on its origin', async () => {
  await using client = createClient()
  const url = `${origin.replace('//', '//bob:wrong@')}/same`
  expect(await (await client.retrieve(url, { login })).text()).toBe('in')
  expect(authorizations()).toEqual([basic, basic])
})

test('never goes to another origin, and does not come back', async () => {
  await using client = createClient()
  expect(await (await client.retrieve(`${origin}/other`, { login })).text()).toBe('anonymous')
  expect(sent.map(({ url }) => url)).toEqual(['/other', '/back', '/x'])
  expect(authorizations()).toEqual([basic, undefined, undefined])
})

test('goes by Digest where the server offers no Basic, and by nothing else if digest is true', async () => {
  wanted = { scheme: 'Digest', challenge: 'Digest realm="r", nonce="n", qop="auth"' }
  await using client = createClient()
  expect(await (await client.retrieve(`${origin}/`, { login })).text()).toBe('in')
  expect(authorizations()).toEqual([basic, expect.stringMatching(/^Digest username=/)])
  sent.length = 0
  expect(await (await client.retrieve(`${origin}/`, { login, digest: true })).text()).toBe('in')
  expect(authorizations()).toEqual([undefined, expect.stringMatching(/^Digest username=/)])
})

test.each([
  ['Basic realm="r"', 'auth-failed', /refused the user or password/],
  ['Negotiate', 'auth-required', /wants negotiate authentication in a form that is not supported/],
  ['Bearer realm="r"', 'auth-required', /wants a token/],
])('refused with %s, it is not sent again', async (challenge, code, message) => {
  wanted = { scheme: 'none', challenge }
  let questions = 0
  await using client = createClient({
    credentials: () => {
      questions++
      return null
    },
  })
  const error = await failure(client.retrieve(`${origin}/`, { login }))
  expect(error).toMatchObject({ code, message: expect.stringMatching(message) })
  expect([authorizations(), questions]).toEqual([[basic], 0])
})

test.each(['alice:s3cr3t', { user: 'alice' }, { user: 'alice', password: 's3cr3t', token: 's3cr3t' }])(
  'is checked, and not shown: %j',
  async (wrong) => {
    await using client = createClient()
    const options = { login: wrong }
    const error = await failure(client.retrieve(`${origin}/`, options as never))
    expect(error).toMatchObject({ code: 'invalid-option', advice: { option: 'login' } })
    expect(error.message).not.toContain('s3cr3t')
    expect(sent).toEqual([])
  },
)

test('is in no event', async () => {
  const events: string[] = []
  await using client = createClient({ onEvent: (event) => events.push(JSON.stringify(event)) })
  await (await client.retrieve(`${origin}/`, { login })).text()
  expect(events.join('\n')).not.toContain(basic.slice(6))
  expect(events.join('\n')).not.toContain('s3:cr3t')
})
