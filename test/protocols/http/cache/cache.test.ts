import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Client, createClient, type Fetcher, type RetrieveOptions } from '@retriever/fetchers'
import { type CacheOption, httpFetcher } from '@retriever/fetchers/http'
import { startServers, testCa } from '@retriever/servers'
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { testCertificate, testKey } from '../../../servers/src/certificate.ts'
import { httpMetadata } from '../../../support/metadata.ts'
import { at, cacheSetup, failure, later } from '../support/cache-setup.ts'
import { cacheable, type Fields, notModified, reply } from '../support/http-answers.ts'
import type { HttpScript } from '../support/scripted-http.ts'

const setup = cacheSetup()
const { clientWith, inFolder, read, cacheEvents } = setup

const stores: [string, () => CacheOption][] = [
  ['memory', () => 'memory'],
  ['a directory', () => inFolder()],
]
const chunked = { 'Transfer-Encoding': 'chunked', 'Content-Length': null }
const keptReply = 'HTTP/1.1 200 OK\r\nCache-Control: max-age=60\r\nContent-Length: 1\r\n\r\nx'

describe.each(stores)('in %s', (_name, store) => {
  let client: Client
  beforeEach(() => {
    client = clientWith(store())
  })

  test('a fresh response is served without contact, octet for octet, and says so', async () => {
    const body = randomBytes(300_000)
    setup.server.script = cacheable(body, {
      'cache-control': 'max-age=60',
      'content-type': 'text/x',
      etag: '"e"',
      'x-own': 'ä',
    })
    const first = await client.retrieve(setup.server.url)
    expect(httpMetadata(first).cache).toEqual({ hit: false, age: null })
    await first.bytes()
    later(35)
    setup.events.length = 0
    const second = await client.retrieve(setup.server.url)
    expect(second).toMatchObject({
      mediaType: 'text/x',
      size: 300_000,
      etag: '"e"',
      completeness: 'verified',
      metadata: { status: 200, cache: { hit: true, age: 35 }, headers: { age: '35', 'x-own': 'ä' } },
    })
    expect(Buffer.from(await second.bytes()).equals(body)).toBe(true)
    expect(setup.events.map(({ type }) => type).filter((type) => type !== 'progress')).toEqual([
      'resolved',
      'cached',
      'done',
    ])
    expect(setup.events).toContainEqual(
      expect.objectContaining({ type: 'cached', url: setup.server.url, how: 'hit', age: 35 }),
    )
    expect(setup.server.asked).toHaveLength(1)
  })

  test('a page that was read to its end to see whether it lists a directory is served, too', async () => {
    setup.server.script = cacheable('<html>hello', { 'cache-control': 'max-age=60', 'content-type': 'text/html' })
    for (const hit of [false, true]) {
      const page = await client.retrieve(setup.server.url)
      expect(page).toMatchObject({ kind: 'object', metadata: { cache: { hit } } })
      expect(await page.text()).toBe('<html>hello')
    }
  })

  test('after its max-age it is retrieved again', async () => {
    await read(client)
    later(59)
    await read(client)
    expect(setup.server.asked).toHaveLength(1)
    later(2)
    setup.server.script = cacheable('new', { 'cache-control': 'max-age=60' })
    expect(await read(client)).toBe('new')
    expect(await read(client)).toBe('new')
    expect(cacheEvents()).toEqual(['stored', 'hit', 'stored', 'hit'])
  })

  test('a response that the server confirms is served from the cache, again and again', async () => {
    setup.server.script = cacheable('body', { 'cache-control': 'max-age=60', etag: '"1"' })
    await read(client)
    for (let round = 0; round < 3; round++) {
      later(61)
      expect(await read(client)).toBe('body')
      expect(await read(client)).toBe('body')
    }
    expect(setup.server.asked.map(({ fields }) => fields['if-none-match'])).toEqual([undefined, '"1"', '"1"', '"1"'])
    expect(cacheEvents()).toEqual(['stored', 'revalidated', 'hit', 'revalidated', 'hit', 'revalidated', 'hit'])
  })

  test('a changed response replaces the stored one', async () => {
    setup.server.script = cacheable('old', { 'cache-control': 'max-age=60', etag: '"1"' })
    await read(client)
    later(61)
    setup.server.script = cacheable('new one', { 'cache-control': 'max-age=60', etag: '"2"' })
    expect(await read(client)).toBe('new one')
    expect(await read(client)).toBe('new one')
    expect(setup.server.asked).toHaveLength(2)
  })

  test('years later the validator is still there', async () => {
    setup.server.script = cacheable('body', { 'last-modified': at(-1000), etag: '"1"' })
    await read(client)
    later(3 * 365 * 86_400)
    expect(await read(client)).toBe('body')
    expect(cacheEvents()).toEqual(['stored', 'revalidated'])
  })

  test('every reader gets the same body, also after one that left early', async () => {
    const body = randomBytes(400_000)
    setup.server.script = cacheable(body, { 'cache-control': 'max-age=60' })
    await (await client.retrieve(setup.server.url)).bytes()
    const path = join(setup.folder, 'saved')
    await (await client.retrieve(setup.server.url)).saveTo(path)
    expect(readFileSync(path).equals(body)).toBe(true)
    const written: Uint8Array[] = []
    await (await client.retrieve(setup.server.url)).writeTo((chunk) => void written.push(chunk.slice()))
    expect(Buffer.concat(written).equals(body)).toBe(true)
    for await (const chunk of await client.retrieve(setup.server.url)) {
      // The chunk belongs to the consumer.
      chunk.fill(0)
      break
    }
    await (await client.retrieve(setup.server.url)).cancel()
    const response = (await client.retrieve(setup.server.url)).toResponse()
    expect(Buffer.from(await response.arrayBuffer()).equals(body)).toBe(true)
    expect(setup.server.asked).toHaveLength(1)
  })

  test('an abort while a stored body is read reaches the reader', async () => {
    setup.server.script = cacheable(randomBytes(400_000), { 'cache-control': 'max-age=60' })
    await (await client.retrieve(setup.server.url)).bytes()
    const controller = new AbortController()
    const hit = await client.retrieve(setup.server.url, { signal: controller.signal })
    const reader = hit[Symbol.asyncIterator]()
    await reader.next()
    controller.abort()
    expect(await failure(reader.next())).toMatchObject({ code: 'aborted' })
  })

  test('HEAD is served from a response to GET, not the other way', async () => {
    for (const hit of [false, true]) {
      const head = await client.retrieve(setup.server.url, { head: true })
      expect(head).toMatchObject({ size: 4, metadata: { cache: { hit } } })
      expect(await head.text()).toBe('')
    }
    expect(setup.server.lines).toEqual(['HEAD / HTTP/1.1'])
    expect(await read(client)).toBe('body')
    const head = await client.retrieve(setup.server.url, { head: true })
    expect(head).toMatchObject({ size: 4, metadata: { cache: { hit: true } } })
    expect(setup.server.lines).toEqual(['HEAD / HTTP/1.1', 'GET / HTTP/1.1'])
  })

  test('requests that differ by what Vary names have responses of their own', async () => {
    setup.server.script = (asked) =>
      cacheable(`for ${asked.fields.accept}`, { 'cache-control': 'max-age=60', vary: 'Accept' })(asked)
    const forAccept = (accept: string): Promise<string> => read(client, '', { accept })
    expect([await forAccept('a/a'), await forAccept('b/b'), await forAccept('a/a'), await forAccept('b/b')]).toEqual([
      'for a/a',
      'for b/b',
      'for a/a',
      'for b/b',
    ])
    expect(setup.server.asked).toHaveLength(2)
  })

  test('of several responses that match a request, the newest is served', async () => {
    const forAccept = (accept: string): Promise<string> => read(client, '', { headers: { accept } })
    setup.server.script = cacheable('for a', { 'cache-control': 'max-age=60', vary: 'accept' })
    await forAccept('a/a')
    later(1)
    setup.server.script = cacheable('for all', { 'cache-control': 'max-age=60' })
    await forAccept('b/b')
    expect(await forAccept('a/a')).toBe('for all')
    expect(setup.server.asked).toHaveLength(2)
  })

  test.each<[string, Record<string, string>]>([
    ['no-store', { 'cache-control': 'no-store, max-age=60' }],
    ['no lifetime and no validator', {}],
    ['Vary: *', { 'cache-control': 'max-age=60', vary: 'accept, *' }],
    ['a max-age that is no number', { 'cache-control': 'max-age=1m' }],
    ['two values of max-age, of which one is 0', { 'cache-control': 'max-age=0, max-age=60' }],
    ['no-store in capitals, behind a field list', { 'cache-control': 'private="a, max-age=60", NO-STORE, max-age=60' }],
    ['an Expires that is a year', { expires: '9999' }],
    ['an Expires that is none', { expires: '0' }],
    ['an Age beyond it', { 'cache-control': 'max-age=60', age: '61' }],
    ['an Age far beyond it', { 'cache-control': 'max-age=60', age: '99999999999' }],
    ['a Date long ago', { 'cache-control': 'max-age=60', date: 'Wed, 01 May 2024 00:00:00 GMT' }],
  ])('is not stored: %s', async (_name, headers) => {
    later(120)
    setup.server.script = cacheable('body', headers)
    await read(client)
    await read(client)
    expect(setup.server.asked).toHaveLength(2)
    expect(cacheEvents()).toEqual([])
  })

  test.each<[string, () => Record<string, string>, number]>([
    ['max-age', () => ({ 'cache-control': 'max-age=100' }), 100],
    ['private', () => ({ 'cache-control': 'private, max-age=100' }), 100],
    ['max-age with must-revalidate', () => ({ 'cache-control': 'Max-Age="100", must-revalidate' }), 100],
    ['max-age with blanks', () => ({ 'cache-control': 'max-age = 100 , private' }), 100],
    ['max-age beside what is no directive', () => ({ 'cache-control': 'max-age=100, "max-age=5"' }), 100],
    [
      'max-age before Expires and s-maxage',
      () => ({ 'cache-control': 's-maxage=9, max-age=100', expires: at(500) }),
      100,
    ],
    ['Expires', () => ({ date: at(0), expires: at(100) }), 100],
    ['Age', () => ({ 'cache-control': 'max-age=130', age: '30' }), 100],
    ['an Age that is no number', () => ({ 'cache-control': 'max-age=100', age: 'x30' }), 100],
    ['an Age that goes on', () => ({ 'cache-control': 'max-age=100', age: '30x' }), 100],
    ['Date', () => ({ 'cache-control': 'max-age=130', date: at(-30) }), 100],
    ['a tenth of its age', () => ({ 'last-modified': at(-1000) }), 100],
    ['a tenth of its age, up to a day', () => ({ 'last-modified': at(-10 * 365 * 86_400) }), 86_400],
  ])('is fresh for as long as %s says', async (_name, headers, seconds) => {
    setup.server.script = cacheable('body', headers())
    await read(client)
    later(seconds - 2)
    await read(client)
    expect(setup.server.asked).toHaveLength(1)
    later(3)
    await read(client)
    expect(setup.server.asked).toHaveLength(2)
  })

  test('the time that a response was under way is a part of its age', async () => {
    setup.server.script = (asked) => {
      later(40)
      return cacheable('body', { 'cache-control': 'max-age=60', age: '5' })(asked)
    }
    await read(client)
    const hit = await client.retrieve(setup.server.url)
    expect(httpMetadata(hit).cache).toEqual({ hit: true, age: 45 })
    await hit.cancel()
    later(20)
    await read(client)
    expect(setup.server.asked).toHaveLength(2)
  })

  test.each(['no-cache, max-age=60', 'no-cache="x-own", max-age=60', 'max-age=0, must-revalidate'])(
    '%s is stored, and validated each time',
    async (control) => {
      setup.server.script = cacheable('body', { 'cache-control': control, etag: '"1"' })
      await read(client)
      await read(client)
      expect(cacheEvents()).toEqual(['stored', 'revalidated'])
      expect(setup.server.asked).toHaveLength(2)
    },
  )

  test('a 304 about something else is not believed', async () => {
    setup.server.script = cacheable('old', { 'cache-control': 'max-age=60', etag: '"1"' })
    await read(client)
    later(61)
    setup.server.script = (asked) =>
      asked.fields['if-none-match'] === undefined
        ? cacheable('new', { etag: '"2"' })(asked)
        : notModified({ etag: '"2"' })
    expect(await read(client)).toBe('new')
    expect(setup.server.asked).toHaveLength(3)
  })

  const [earlier, earliest] = ['Wed, 03 Apr 2024 00:00:00 GMT', 'Tue, 02 Apr 2024 00:00:00 GMT']

  test.each<[string, Fields, Fields, believed: boolean]>([
    ['the date', { 'last-modified': earlier }, { 'last-modified': earlier }, true],
    ['another date', { 'last-modified': earlier }, { 'last-modified': earliest }, false],
    ['a date, where the response had none', { etag: '"1"' }, { 'last-modified': earlier }, false],
    [
      'the tag and another date',
      { etag: '"1"', 'last-modified': earlier },
      { etag: '"1"', 'last-modified': earliest },
      true,
    ],
    ['a tag, where the response had none', { 'last-modified': earlier }, { etag: '"1"' }, false],
  ])('a 304 has %s', async (_name, had, has, believed) => {
    setup.server.script = cacheable('old', { 'cache-control': 'max-age=60', ...had })
    await read(client)
    later(61)
    setup.server.script = (asked) =>
      asked.fields['if-none-match'] === undefined && asked.fields['if-modified-since'] === undefined
        ? cacheable('new', {})(asked)
        : notModified(has)
    expect(await read(client)).toBe(believed ? 'old' : 'new')
  })

  test('a 304 that nobody asked for confirms nothing', async () => {
    await read(client)
    later(61)
    setup.server.script = () => notModified({})
    await failure(read(client))
    expect(cacheEvents()).toEqual(['stored'])
  })

  test('Last-Modified validates if there is no entity tag', async () => {
    const modified = at(-5)
    setup.server.script = cacheable('body', { 'cache-control': 'max-age=60', 'last-modified': modified })
    await read(client)
    later(61)
    // Some servers send a length with a 304, which is not that of the body (RFC 9110 8.6 has it otherwise).
    setup.server.script = () => notModified({ 'cache-control': 'max-age=60', 'Content-Length': '0' })
    expect(await client.retrieve(setup.server.url).then(async (got) => [got.size, await got.text()])).toEqual([
      4,
      'body',
    ])
    expect(setup.server.asked[1]?.fields['if-modified-since']).toBe(modified)
    expect(await read(client)).toBe('body')
    expect(setup.server.asked).toHaveLength(2)
  })

  test('a date in the form of asctime is GMT, wherever we are', async () => {
    vi.stubEnv('TZ', 'Asia/Tokyo')
    onTestFinished(() => void vi.unstubAllEnvs())
    const last = { 'cache-control': 'max-age=60', 'last-modified': 'Sat Feb  3 04:05:06 2001' }
    setup.server.script = cacheable('body', last)
    await read(client)
    later(61)
    await read(client)
    expect(setup.server.asked[1]?.fields['if-modified-since']).toBe('Sat, 03 Feb 2001 04:05:06 GMT')
  })

  describe('when the server fails', () => {
    const broken: HttpScript = () => reply(503, {})

    test('HEAD tells why', async () => {
      await read(client)
      later(61)
      await setup.server[Symbol.asyncDispose]()
      expect(await failure(client.retrieve(setup.server.url, { head: true }))).toMatchObject({ code: 'connect-failed' })
    })

    test.each([
      ['max-age=60, stale-if-error=100', 100, true],
      ['max-age=60, stale-if-error=100', 200, false],
      ['max-age=60', 100, false],
      ['max-age=60, must-revalidate, stale-if-error=100', 100, false],
      ['no-cache, stale-if-error=100', 10, false],
    ])('%s: after %d s it is served instead: %s', async (control, seconds, stands) => {
      setup.server.script = cacheable('old', { 'cache-control': control, etag: '"1"' })
      await read(client)
      later(seconds)
      setup.server.script = broken
      const expected = stands ? 'old' : expect.objectContaining({ code: 'http-error', status: 503 })
      expect(await read(client).catch((error: unknown) => error)).toEqual(expected)
      await setup.server[Symbol.asyncDispose]()
      expect(await read(client).catch((error: unknown) => error)).toEqual(
        stands ? 'old' : expect.objectContaining({ code: 'connect-failed' }),
      )
      expect(cacheEvents()).toEqual(stands ? ['stored', 'stale', 'stale'] : ['stored'])
      expect(setup.events.filter(({ type }) => type === 'remark')).toHaveLength(stands ? 2 : 0)
    })

    test.each<[string, boolean]>([
      ['HTTP/1.1 500 x\r\nContent-Length: 0\r\n\r\n', true],
      ['HTTP/1.1 501 x\r\nContent-Length: 0\r\n\r\n', false],
      ['HTTP/1.1 502 x\r\nContent-Length: 0\r\n\r\n', true],
      ['HTTP/1.1 504 x\r\nContent-Length: 0\r\n\r\n', true],
      ['HTTP/1.1 505 x\r\nContent-Length: 0\r\n\r\n', false],
      ['HTTP/1.1 404 x\r\nContent-Length: 0\r\n\r\n', false],
      ['HTTP/1.1 200 x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n', false],
    ])('the answer %j is a failure that it stands in for: %s (RFC 5861 4)', async (answer, stands) => {
      setup.server.script = cacheable('old', { 'cache-control': 'max-age=60, stale-if-error=100', etag: '"1"' })
      await read(client)
      later(100)
      setup.server.script = () => answer
      expect(await failure(read(client))).toEqual(stands ? 'no failure' : expect.any(Error))
    })

    test('the failure is not stored, and the earlier response stays', async () => {
      setup.server.script = cacheable('old', { 'cache-control': 'max-age=60', etag: '"1"' })
      await read(client)
      later(61)
      setup.server.script = cacheable('failed', { 'cache-control': 'max-age=60' }, 500)
      expect(await read(client, '', { http: { fail: false } })).toBe('failed')
      setup.server.script = cacheable('old', { 'cache-control': 'max-age=60', etag: '"1"' })
      expect(await read(client)).toBe('old')
      expect(cacheEvents()).toEqual(['stored', 'revalidated'])
    })
  })

  test.each<[string, RetrieveOptions]>([
    ['a range', { range: [0, 1] }],
    ['resumeFrom', { resumeFrom: 2 }],
    ['If-None-Match', { http: { ifNoneMatch: '"x"' } }],
    ['If-Modified-Since', { ifChangedSince: new Date(0) }],
    ['another host', { http: { virtualHost: 'v.example' } }],
    ['several parts', { http: { split: 2 } }],
    ['a Range field of the caller', { headers: { Range: 'bytes=0-' } }],
    ['a login of the caller', { headers: { Authorization: 'Bearer x' } }],
    ['a cookie', { headers: { Cookie: 'a=b' } }],
    ['a key', { headers: { 'X-API-Key': 'k' } }],
    ['a login in a field of the server', { headers: { 'X-Remote-User': 'alice' } }],
    ['a login for a proxy', { headers: { 'Proxy-Authorization': 'Basic eA==' } }],
    ['any field that may identify the user', { headers: { 'X-Tenant': 'a', Accept: '*/*' } }],
    ['no-store', { headers: { 'Cache-Control': 'no-store' } }],
  ])('%s never uses the cache', async (_name, options) => {
    const retrieve = (): Promise<unknown> =>
      failure(client.retrieve(setup.server.url, options).then((got) => got.text()))
    await retrieve()
    await read(client)
    await retrieve()
    expect(setup.server.asked).toHaveLength(3)
    expect(cacheEvents()).toEqual(['stored'])
  })

  test('several parts never use the cache, nor does the whole that comes where they cannot', async () => {
    const whole = setup.server.script
    setup.server.script = (asked) =>
      asked.fields.range === undefined
        ? whole(asked)
        : { octets: reply(206, { 'Content-Range': 'bytes 0-3/*', ETag: '"1"' }, 'body') }
    expect(await read(client, '', { http: { split: 2 } })).toBe('body')
    expect(cacheEvents()).toEqual([])
    expect(setup.server.asked).toHaveLength(2)
  })

  test('the login of a proxy is no reason not to use it, since the proxy is in the key', async () => {
    const through = (user: string) =>
      clientWith(store(), { proxy: setup.server.url.replace('//', `//${user}:s3cr3t@`).slice(0, -1) })
    const [alice, bob] = [through('alice'), through('bob')]
    for (const each of [alice, alice, bob, bob]) await (await each.retrieve('http://www.example/x')).text()
    expect(setup.server.asked).toHaveLength(2)
    expect(cacheEvents()).toEqual(['stored', 'hit', 'stored', 'hit'])
  })

  test('a user without a password never uses the cache', async () => {
    const url = setup.server.url.replace('//', '//alice@')
    for (let round = 0; round < 2; round++) await (await client.retrieve(url)).text()
    expect(setup.server.asked).toHaveLength(2)
  })

  test('a user in the URL never uses the cache', async () => {
    const url = setup.server.url.replace('//', '//alice:s3cr3t@')
    for (let round = 0; round < 2; round++) await (await client.retrieve(url)).text()
    expect(setup.server.asked.map(({ fields }) => fields.authorization)).toEqual([
      'Basic YWxpY2U6czNjcjN0',
      'Basic YWxpY2U6czNjcjN0',
    ])
    await read(client)
    expect(setup.server.asked).toHaveLength(3)
  })

  test.each<[string, number, number]>([
    ['no-cache', 10, 2],
    ['max-age=5', 10, 2],
    ['max-age=15', 10, 1],
    ['max-age=15, max-age=5', 10, 2],
    ['min-fresh=55', 10, 2],
    ['min-fresh=45', 10, 1],
    ['min-fresh=55, min-fresh=45', 10, 2],
    ['max-stale=20', 70, 1],
    ['max-stale=5', 70, 2],
    ['max-stale', 700, 1],
    // To http-cache-semantics, the response is 0 seconds old then.
    ['max-age=0', 0, 2],
    ['max-age', 10, 2],
    ['max-age=15.5', 10, 2],
  ])('the request has Cache-Control: %s, %d s later', async (control, seconds, requests) => {
    await read(client)
    later(seconds)
    await read(client, '', { headers: { 'cache-control': control } })
    expect(setup.server.asked).toHaveLength(requests)
    if (requests === 1) expect(cacheEvents()).toEqual(['stored', seconds < 60 ? 'hit' : 'stale'])
  })

  test.each<[Record<string, string>, requests: number]>([
    [{ Pragma: 'no-cache' }, 2],
    [{ Pragma: 'x , no-cache , y' }, 2],
    [{ Pragma: 'no-caches, x=no-cache' }, 1],
    [{ Pragma: 'no-cache', 'Cache-Control': 'max-age=100' }, 1],
  ])('the request has %j', async (headers, requests) => {
    await read(client)
    await read(client, '', { headers })
    expect(setup.server.asked).toHaveLength(requests)
  })

  test('an answer to HEAD does not take the place of one to GET', async () => {
    setup.server.script = cacheable('body', { 'cache-control': 'max-age=60', etag: '"1"' })
    await read(client)
    later(61)
    setup.server.script = cacheable('other', { 'cache-control': 'max-age=60', etag: '"2"' })
    expect(await client.retrieve(setup.server.url, { head: true })).toMatchObject({ etag: '"2"' })
    setup.server.script = cacheable('body', { 'cache-control': 'max-age=60', etag: '"1"' })
    expect(await read(client)).toBe('body')
    expect(cacheEvents()).toEqual(['stored', 'stored', 'revalidated'])
  })

  test.each(['Accept', 'Accept-Language', 'User-Agent', 'Referer'])(
    'a %s field of the caller is served from the cache',
    async (name) => {
      for (let round = 0; round < 2; round++) await read(client, '', { headers: { [name]: 'x' } })
      expect(setup.server.asked).toHaveLength(1)
      expect(cacheEvents()).toEqual(['stored', 'hit'])
    },
  )

  test('must-revalidate overrides max-stale', async () => {
    setup.server.script = cacheable('body', { 'cache-control': 'max-age=60, must-revalidate' })
    await read(client)
    later(70)
    await read(client, '', { headers: { 'cache-control': 'max-stale=20' } })
    expect(setup.server.asked).toHaveLength(2)
  })

  test('with only-if-cached the server is not asked', async () => {
    const asked = (): Promise<unknown> => failure(read(client, '', { headers: { 'cache-control': 'only-if-cached' } }))
    expect(await asked()).toMatchObject({ code: 'http-error', status: 504 })
    await read(client)
    expect(await asked()).toBe('no failure')
    expect(setup.server.asked).toHaveLength(1)
  })

  test.each<[string, object, string]>([
    ['with a login', {}, 'u:p@'],
    ['for a part', { range: [0, 1] }, ''],
    ['with a field that may name a person', { headers: { 'x-user': 'me' } }, ''],
  ])('with only-if-cached the server is not asked %s either', async (_name, options, login) => {
    const headers = { 'cache-control': 'only-if-cached', ...(options as { headers?: object }).headers }
    const url = setup.server.url.replace('//', `//${login}`)
    const error = await failure(client.retrieve(url, { ...options, headers }))
    expect(error).toMatchObject({ code: 'http-error', status: 504 })
    expect(setup.server.asked).toHaveLength(0)
  })

  test('a redirect and a 404 are stored as the server says', async () => {
    const control = { 'cache-control': 'max-age=60' }
    setup.server.script = (asked) =>
      asked.target === '/'
        ? cacheable('', { location: '/gone', ...control }, 301)(asked)
        : cacheable('nothing', control, 404)(asked)
    for (let round = 0; round < 2; round++)
      expect(await failure(client.retrieve(setup.server.url))).toMatchObject({ code: 'not-found', reply: '404 x' })
    expect(setup.server.lines).toEqual(['GET / HTTP/1.1', 'GET /gone HTTP/1.1'])
    setup.server.script = cacheable('', { location: '/gone' }, 302)
    for (let round = 0; round < 2; round++) await failure(client.retrieve(`${setup.server.url}x`))
    expect(setup.server.lines.slice(2)).toEqual(['GET /x HTTP/1.1', 'GET /x HTTP/1.1'])
  })

  test.each<[string, Fields]>([
    ['by its length', { 'Content-Length': '10' }],
    ['by its last chunk', chunked],
  ])('a body cut short is not stored: %s', async (_name, framing) => {
    const octets = reply(200, { 'cache-control': 'max-age=60', ...framing }, '5\r\n12345')
    setup.server.script = () => ({ octets, end: 'fin' })
    expect(await failure(read(client))).toMatchObject({ code: 'partial' })
    setup.server.script = cacheable('whole', { 'cache-control': 'max-age=60' })
    expect(await read(client)).toBe('whole')
    expect(cacheEvents()).toEqual(['stored'])
  })

  test('a body without a known end is not stored', async () => {
    setup.server.script = () => ({
      octets: reply(200, { 'cache-control': 'max-age=60', 'Content-Length': null }, '12345'),
      end: 'fin',
    })
    expect(await read(client)).toBe('12345')
    expect(cacheEvents()).toEqual([])
  })

  test('a chunked body has a length when it is served from the cache', async () => {
    setup.server.script = () => reply(200, { 'cache-control': 'max-age=60', ...chunked }, '5\r\n12345\r\n0\r\n\r\n')
    const first = await client.retrieve(setup.server.url)
    expect(first).toMatchObject({ size: null, completeness: 'terminated' })
    await first.text()
    const second = await client.retrieve(setup.server.url)
    expect(second).toMatchObject({ size: 5, completeness: 'verified' })
    expect(await second.text()).toBe('12345')
  })

  test('a body that was cancelled is not stored', async () => {
    setup.server.script = cacheable(randomBytes(1_000_000), { 'cache-control': 'max-age=60' })
    for await (const _ of await client.retrieve(setup.server.url)) break
    await (await client.retrieve(setup.server.url)).cancel()
    await client.close()
    expect(setup.server.asked).toHaveLength(2)
    expect(cacheEvents()).toEqual([])
    expect(readdirSync(setup.folder)).toEqual([])
  })

  test('one that is not encoded is served for any', async () => {
    await read(client)
    expect(await read(client, '', { headers: { 'Accept-Encoding': 'gzip' } })).toBe('body')
    expect(setup.server.asked).toHaveLength(1)
  })

  test('an encoded response is only served for its Accept-Encoding, whatever Vary says', async () => {
    setup.server.script = cacheable('octets', { 'cache-control': 'max-age=60', 'content-encoding': 'gzip' })
    const encoded = { headers: { 'Accept-Encoding': 'gzip' } }
    await (await client.retrieve(setup.server.url, encoded)).bytes()
    setup.server.script = cacheable('text', { 'cache-control': 'max-age=60' })
    expect(await read(client)).toBe('text')
    const again = await client.retrieve(setup.server.url, encoded)
    expect(httpMetadata(again).cache).toMatchObject({ hit: true })
    await again.cancel()
    expect(setup.server.asked).toHaveLength(2)
  })
})

test('a request with a client certificate never uses the cache', async () => {
  const client = clientWith('memory', { tls: { cert: testCertificate, key: testKey } })
  for (let round = 0; round < 2; round++) await read(client)
  expect(setup.server.asked).toHaveLength(2)
})

test('a response from an unverified server is not served where certificates are verified', async () => {
  await using secure = await startServers({ http: { faults: { replies: { '/x': keptReply } } }, tls: true })
  const url = `${secure.http.url}x`
  const careless = clientWith(inFolder(), { tls: { insecure: true } })
  for (let round = 0; round < 2; round++) await (await careless.retrieve(url)).text()
  expect(secure.http.received).toHaveLength(1)
  expect(await failure(clientWith(inFolder()).retrieve(url))).toMatchObject({ code: 'certificate' })
  await (await clientWith(inFolder(), { tls: { ca: testCa } }).retrieve(url)).text()
  expect(secure.http.received).toHaveLength(2)
})

test('a response from pinned addresses is not served where others are pinned', async () => {
  const pinned = clientWith(inFolder(), { addresses: { [`pinned.example:${setup.server.port}`]: ['127.0.0.1'] } })
  const url = `http://pinned.example:${setup.server.port}/`
  for (let round = 0; round < 2; round++) expect(await (await pinned.retrieve(url)).text()).toBe('body')
  expect(setup.server.asked).toHaveLength(1)
  const other = clientWith(inFolder(), {
    addresses: { [`pinned.example:${setup.server.port}`]: ['127.0.0.1', '127.0.0.2'] },
  })
  setup.server.script = cacheable('from the other', { 'cache-control': 'max-age=60' })
  expect(await (await other.retrieve(url)).text()).toBe('from the other')
  expect(cacheEvents()).toEqual(['stored', 'hit', 'stored'])
})

test('a response from inside is not served where only public addresses may be contacted', async () => {
  expect(await read(clientWith(inFolder()))).toBe('body')
  const guarded = clientWith(inFolder(), { policy: { publicOnly: true } })
  expect(await failure(read(guarded))).toMatchObject({ code: 'refused' })
  expect(setup.server.asked).toHaveLength(1)
})

test('a response to the caller is not served for a redirect from another server', async () => {
  const inside = `inside.example:${setup.server.port}`
  const addresses = { [inside]: ['127.0.0.1'] }
  await (await clientWith(inFolder(), { addresses }).retrieve(`http://${inside}/secret`)).text()
  const { retrieve, ...http } = httpFetcher({ cache: inFolder() })
  const withOutside: Fetcher<'http'> = {
    ...http,
    retrieve: async (plan, context) =>
      plan.host === 'outside.example'
        ? { outcome: 'redirect', location: `http://${inside}/secret`, status: 302 }
        : retrieve(plan, context),
  }
  await using led = createClient({ fetchers: [withOutside], addresses })
  expect(await failure(led.retrieve('http://outside.example/'))).toMatchObject({ code: 'refused' })
})

/** The largest body that memory keeps: of twelve, all are kept. */
const largest = Buffer.alloc(5 * 1024 * 1024)

test('memory evicts the least recently used response', async () => {
  const client = clientWith('memory')
  setup.server.script = cacheable(largest, { 'cache-control': 'max-age=60' })
  for (let number = 0; number < 13; number++) {
    await read(client, `${number}`)
    await client.retrieve(`${setup.server.url}0`, { head: true })
  }
  await read(client, '2')
  expect(setup.server.asked).toHaveLength(13)
  await client.retrieve(`${setup.server.url}1`, { head: true })
  expect(setup.server.asked).toHaveLength(14)
})

test('what memory has replaced counts no more', async () => {
  const client = clientWith('memory')
  await read(client, 'other')
  setup.server.script = cacheable(largest, { 'cache-control': 'max-age=1' })
  for (let round = 0; round < 13; round++) {
    await read(client, 'large')
    later(2)
  }
  expect(setup.server.asked).toHaveLength(14)
  await read(client, 'other')
  expect(setup.server.asked).toHaveLength(14)
})

test('a head that is too long for the index is not kept, and a remark says so', async () => {
  setup.server.script = cacheable('body', { 'cache-control': 'max-age=60', 'x-long': 'x'.repeat(1024 * 1024) })
  const client = clientWith(inFolder(), { limits: { maxReply: 2 * 1024 * 1024 } })
  for (let round = 0; round < 2; round++) expect(await read(client)).toBe('body')
  expect(setup.server.asked).toHaveLength(2)
  expect(setup.events.filter(({ type }) => type === 'remark')).toEqual(
    Array(2).fill(expect.objectContaining({ message: expect.stringContaining('its header sections are too long') })),
  )
})

test('memory ends with the client', async () => {
  const client = clientWith('memory')
  await read(client)
  await client.close()
  await read(clientWith('memory'))
  expect(setup.server.asked).toHaveLength(2)
})

test.each<[string, unknown, RegExp]>([
  ['a word', 'disk', /httpFetcher\.cache/],
  ['no folder', {}, /httpFetcher\.cache/],
  ['null', null, /httpFetcher\.cache/],
  ['a folder that is a number', { directory: 5 }, /httpFetcher\.cache\.directory/],
  ['a folder with NUL in its path', { directory: 'a\0b' }, /httpFetcher\.cache\.directory/],
  ['an empty folder', { directory: '' }, /httpFetcher\.cache\.directory/],
  ['no size', { directory: 'x', maxSize: 0 }, /httpFetcher\.cache\.maxSize/],
  ['more', { directory: 'x', max: 1 }, /httpFetcher\.cache\.max/],
])('an invalid option: %s', (_name, cache, message) => {
  expect(() => httpFetcher({ cache: cache as CacheOption })).toThrow(message)
})
