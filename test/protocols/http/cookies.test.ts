/** ClientOptions.cookies: what a store is asked, and where its cookies go. */
import { type CookieStore, createClient, type RetrievalEvent } from '@retriever/fetchers'
import { startServers, type TestServers } from '@retriever/servers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { failure } from '../../support/failure.ts'

let one: TestServers<'http'>
let other: TestServers<'http'>

beforeAll(async () => {
  one = await startServers({ http: { hosts: ['*'] } })
  other = await startServers({ http: { hosts: ['*'] } })
  const head = 'HTTP/1.1 302 Found\r\nContent-Length: 0\r\nSet-Cookie: a=s3cr3t; Path=/\r\nSet-Cookie: b=2\r\n'
  one.http.setFaults({ replies: { '/moved': `${head}Location: ${other.http.url}echo\r\n\r\n` } })
})
afterAll(() => Promise.all([one.close(), other.close()]))

/** A store that gives one cookie to each URL, and notes what it is told. */
function noting(cookie: (url: string) => unknown): { store: CookieStore; told: unknown[] } {
  const told: unknown[] = []
  const store = {
    cookiesFor: async (url: string) => {
      told.push(url)
      return cookie(url) as string
    },
    keep: (url: string, set: readonly string[]) => void told.push([url, ...set]),
  }
  return { store, told }
}

test('case 91, it is asked for each request by its URL, and gets what answers set; events hide both', async () => {
  const { store, told } = noting((url) => `at=${new URL(url).port}s3cr3t`)
  const events: RetrievalEvent[] = []
  await using client = createClient({ cookies: store, onEvent: (event) => events.push(event) })
  const headers = { cookie: 'mine=s3cr3t', 'X-Mine': 'x' }
  const text = await (await client.retrieve(`${one.http.url}moved`, { headers })).text()
  expect(told).toEqual([
    `${one.http.url}moved`,
    [`${one.http.url}moved`, 'a=s3cr3t; Path=/', 'b=2'],
    `${other.http.url}echo`,
  ])
  // The caller's own cookie stays with the first origin.
  expect(text).toContain(`Cookie: at=${new URL(other.http.url).port}s3cr3t\r\n`)
  expect(text).not.toContain('mine')
  expect(JSON.stringify(events)).not.toContain('s3cr3t')
  const first = await (await client.retrieve(`${one.http.url}echo`, { headers })).text()
  expect(first).toContain(`Cookie: at=${new URL(one.http.url).port}s3cr3t; mine=s3cr3t\r\n`)
})

test('a virtual host names the URL of its cookies, and a field that is null keeps all cookies back', async () => {
  const { store, told } = noting(() => 'a=1')
  await using client = createClient({ cookies: store })
  const text = await (await client.retrieve(`${one.http.url}echo`, { http: { virtualHost: 'www.example.org' } })).text()
  expect(told).toEqual(['http://www.example.org/echo'])
  expect(text).toMatch(/^host: www\.example\.org\r$/im)
  const without = await client.retrieve(`${one.http.url}echo`, { headers: { Cookie: null, Accept: null } })
  expect(await without.text()).not.toMatch(/^(?:cookie|accept):/im)
})

test.each(['a=1\r\nX: y', 'a=\u0161', 5])('%j is refused as a cookie, and not shown', async (cookie) => {
  await using client = createClient({ cookies: noting(() => cookie).store })
  const error = await failure(client.retrieve(`${one.http.url}echo`))
  expect(error.code).toBe('invalid-option')
  expect(error.message).not.toContain('a=')
})

test('an object that is no store is refused', () => {
  expect(() => createClient({ cookies: {} as CookieStore })).toThrow(/cookies.*`cookiesFor` and `keep`/)
})

test('autoReferer names the URL before, and to another origin its origin alone', async () => {
  one.http.setFaults({
    replies: {
      '/first?s3cr3t': 'HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: /echo\r\n\r\n',
      '/away?s3cr3t': `HTTP/1.1 302 Found\r\nContent-Length: 0\r\nLocation: ${other.http.url}echo\r\n\r\n`,
    },
  })
  await using client = createClient()
  const referer = async (path: string): Promise<string | undefined> => {
    const url = `${one.http.url}${path}`.replace('//', '//alice@')
    const text = await (await client.retrieve(url, { http: { autoReferer: true } })).text()
    return /^Referer: (.*)\r$/m.exec(text)?.[1]
  }
  expect(await referer('first?s3cr3t')).toBe(`${one.http.url}first?s3cr3t`)
  expect(await referer('away?s3cr3t')).toBe(one.http.url)
})
