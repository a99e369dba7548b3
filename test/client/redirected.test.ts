/** What a redirect takes along, what it leaves behind, and what is said about it. */
import type { ClientOptions, RetrievalEvent, RetrieveOptions } from '@retriever/fetchers'
import { createClient, type Fetcher } from '@retriever/fetchers'
import { describe, expect, test } from 'vitest'
import { remarks } from '../support/events.ts'
import { failure } from '../support/failure.ts'
import { chunks, fakeHttp, retrieved } from '../support/fake-fetcher.ts'

type Login = readonly [user: string | null, password: string | null]
type Fields = Readonly<Record<string, string | null>>

/** Retrieves `http://a.example/0`, whose host redirects to each of `locations` in turn; then the answer comes. */
async function over(locations: readonly string[], request: RetrieveOptions = {}, url = 'http://a.example/0') {
  const asked: { url: string; login: Login; headers: Fields }[] = []
  const events: RetrievalEvent[] = []
  const http = fakeHttp(({ user, password }, context) => {
    asked.push({ url: context.url, login: [user, password], headers: context.request.headers ?? {} })
    const location = locations[asked.length - 1]
    return location === undefined ? retrieved(chunks('there')) : { outcome: 'redirect', status: 302, location }
  })
  await using client = createClient({ fetchers: [http], onEvent: (event) => events.push(event) })
  expect(await (await client.retrieve(url, request)).text()).toBe('there')
  return { asked, headers: asked.map((each) => each.headers), remarks: remarks(events) }
}

const left = (names: string) => [`${names} not sent to b.example, because it is another origin.`]

describe('the fields of the caller that another origin does not get', () => {
  test.each<[string, RetrieveOptions, string]>([
    ['one', { headers: { 'X-A': '1' } }, 'X-A of your header fields is'],
    ['two', { headers: { 'X-A': '1', Accept: 'text/plain', 'X-B': '2' } }, 'X-A and X-B of your header fields are'],
    ['three', { headers: { 'X-A': '1', 'X-B': '2', 'X-C': '3' } }, 'X-A, X-B and X-C of your header fields are'],
    ['a host of their own', { http: { virtualHost: 'v.example' } }, 'Host of your header fields is'],
    ['a Referer of their own', { headers: { Referer: 'http://r.example/' } }, 'Referer of your header fields is'],
  ])('are named: %s (case 15)', async (_, request, names) => {
    const result = await over(['http://b.example/'], request)
    expect(result.remarks).toEqual(left(names))
  })

  test('are not the Referer that the redirect before wrote, but others whose names hold that word are', async () => {
    const headers = { 'X-Referer': '1', 'Referer-X': '2' }
    const result = await over(['/1', 'http://b.example/', 'http://c.example/'], {
      headers,
      http: { autoReferer: true },
    })
    expect(result.remarks).toEqual(left('X-Referer and Referer-X of your header fields are'))
  })
})

describe('http.autoReferer', () => {
  test('replaces the Referer of the caller, and leaves the other fields', async () => {
    const headers = { referer: 'http://r.example/', 'X-Referer': '1', 'Referer-X': '2' }
    const result = await over(['/1', '/2?q'], { headers, http: { autoReferer: true } })
    const others = { 'X-Referer': '1', 'Referer-X': '2' }
    expect(result.headers).toEqual([
      headers,
      { ...others, Referer: 'http://a.example/0' },
      { ...others, Referer: 'http://a.example/1' },
    ])
  })

  test('is off unless it is asked for', async () => {
    expect((await over(['/1'], { headers: { Referer: 'r', 'X-A': '1' } })).headers[1]).toEqual({
      Referer: 'r',
      'X-A': '1',
    })
  })
})

describe('the login of the URL', () => {
  test.each<[string, Login]>([
    ['alice', ['alice', null]],
    ['alice:s3cr3t', ['alice', 's3cr3t']],
    [':s3cr3t', ['', 's3cr3t']],
  ])('%s stays with its origin, and that of a Location is dropped (cases 15 and 48)', async (login, own) => {
    const locations = ['http://bob:other@a.example/1', 'http://bob@b.example/2', 'http://a.example/3']
    const { asked } = await over(locations, {}, `http://${login}@a.example/0`)
    expect(asked.map((each) => each.login)).toEqual([own, own, [null, null], [null, null]])
  })
})

describe('a redirect that is not followed', () => {
  const to = (location: string, options: ClientOptions = {}) =>
    createClient({
      ...options,
      fetchers: [fakeHttp(() => ({ outcome: 'redirect', status: 307, location })), gemini(location)],
    })
  const gemini = (location: string): Fetcher<'gemini'> => ({
    mechanism: 'gemini',
    retrieve: async () => ({ outcome: 'redirect', status: 30, location }),
  })

  test('because nobody knows its scheme is refused, and says which ones it may have', async () => {
    await using client = to('nobodys:x')
    const errors = await Promise.all(['http://a/', 'gemini://a/'].map((url) => failure(client.retrieve(url))))
    expect(errors).toMatchObject([
      { code: 'refused', phase: 'policy', status: 307, message: expect.stringContaining('only http and https may') },
      { code: 'refused', phase: 'policy', status: 30, message: expect.stringContaining('only gemini may') },
    ])
  })

  test('because of another mechanism says the same', async () => {
    await using http = to('gemini://b/')
    await using gemini = to('http://b/')
    const errors = [await failure(http.retrieve('http://a/')), await failure(gemini.retrieve('gemini://a/'))]
    expect(errors).toMatchObject([
      { code: 'refused', message: expect.stringContaining('only http and https may') },
      { code: 'refused', message: expect.stringContaining('only gemini may') },
    ])
  })

  test('because no fetcher may retrieve its scheme is refused', async () => {
    const rtsp: Fetcher<'rtsp'> = {
      mechanism: 'rtsp',
      retrieve: async () => ({ outcome: 'redirect', status: 302, location: 'rtspu://b.example/x' }),
    }
    await using client = createClient({ fetchers: [rtsp] })
    expect(await failure(client.retrieve('rtsp://a.example/x'))).toMatchObject({
      code: 'refused',
      message: expect.stringContaining('only rtsp may be redirected to'),
    })
  })

  test('because it is no URL breaks the protocol, and is shown in part', async () => {
    await using client = to(`http://[${'x'.repeat(1000)}`)
    const error = await failure(client.retrieve('http://a/'))
    expect(error).toMatchObject({ code: 'protocol-violation', status: 307 })
    expect(/"(.*)" was not followed: it is not a valid URL/.exec(error.message)?.[1]).toHaveLength(300)
  })

  test('because it is one too many tells the status', async () => {
    await using client = to('/again', { limits: { maxRedirects: 2 } })
    const [error, other] = [await failure(client.retrieve('http://a/')), await failure(client.retrieve('gemini://a/'))]
    expect(error).toMatchObject({ code: 'too-many-redirects', status: 307 })
    expect(other).toMatchObject({ code: 'too-many-redirects', status: 30 })
  })

  test('because its target leaves TLS or points inward names the option', async () => {
    await using plain = to('http://b.example/')
    expect(await failure(plain.retrieve('https://a.example/'))).toMatchObject({
      code: 'refused',
      advice: { option: 'policy.allowDowngrade' },
    })
    await using secure = to('https://localhost/')
    expect(await failure(secure.retrieve('https://a.example/'))).toMatchObject({
      code: 'refused',
      advice: { option: 'policy.allowInward' },
    })
  })
})

describe('a link that a server names', () => {
  const ftp: Fetcher<'ftp'> = {
    mechanism: 'ftp',
    retrieve: async () => ({ ...retrieved(chunks('b')), metadata: {} }) as never,
  }
  const outcome = async (url: string, linkedFrom: string): Promise<string> => {
    await using client = createClient({ fetchers: [ftp, fakeHttp(() => retrieved(chunks('b')))] })
    return await client.retrieve(url, { linkedFrom }).then(
      (body) => body.text(),
      (error: Error) => error.message,
    )
  }

  test.each([
    [
      'ftp://b.example/x',
      'https://a.example/',
      'The link from a.example to ftp://b.example was not followed: it would leave',
    ],
    ['file:///etc/hosts', 'https://a.example/', 'The link from a.example to file: was not followed: it leads to this'],
    ['man:ls', 'mailto:a@b.example', 'The link from mailto to man: was not followed: it leads to this machine itself'],
    [
      'http://localhost/',
      'http://a.example/',
      'The link from a.example to http://localhost was not followed: it points',
    ],
  ])('to %s from %s is refused with both names', async (url, linkedFrom, message) => {
    expect(await outcome(url, linkedFrom)).toContain(message)
  })

  test('to a place that takes up TLS itself, or to no place at all, leaves no TLS', async () => {
    expect(await outcome('ftpes://b.example/x', 'https://a.example/')).toBe('b')
    expect(await outcome('data:,b', 'https://a.example/')).toBe('b')
    expect(await outcome('ftp://b.example/x', 'ftpes://a.example/')).toBe('b')
  })
})

describe('an access method that a server names', () => {
  const to = (location: string, redirectSchemes: readonly string[] | null) => {
    const prospero: Fetcher<'prospero'> = {
      mechanism: 'prospero',
      retrieve: async () => ({ outcome: 'redirect', status: 0, location, isAccess: true }),
    }
    const policy = { redirectSchemes }
    return createClient({ policy, fetchers: [prospero, fakeHttp(() => retrieved(chunks('b')))] })
  }

  test('may have another mechanism, within policy.redirectSchemes', async () => {
    await using any = to('http://b.example/x', null)
    expect(await (await any.retrieve('prospero://a.example/x')).text()).toBe('b')
    await using none = to('http://b.example/x', ['https'])
    const error = await failure(none.retrieve('prospero://a.example/x'))
    expect(error).toMatchObject({ code: 'refused', advice: { option: 'policy.redirectSchemes', value: 'http' } })
    expect(error.message).toContain('The access method of a.example, http://b.example, was not followed')
  })

  test.each(['file:///etc/hosts', 'http://127.0.0.1/'])('is held to the rules for links: %s', async (location) => {
    await using client = to(location, null)
    expect(await failure(client.retrieve('prospero://a.example/x'))).toMatchObject({ code: 'refused', phase: 'policy' })
  })
})
