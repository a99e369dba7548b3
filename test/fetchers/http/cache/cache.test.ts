import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Client, createClient, type Fetcher, type RetrieveOptions } from '@retriever/fetchers'
import { type CacheOption, httpFetcher } from '@retriever/fetchers/http'
import { startServers, testCa } from '@retriever/servers'
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { testCertificate, testKey } from '../../../servers/src/certificate.ts'
import { at, cacheTrial, failure, later } from '../../../support/http/cache-trial.ts'
import { cacheable, type Fields, notModified, reply } from '../../../support/http/http-answers.ts'
import type { HttpScript } from '../../../support/http/scripted-http.ts'
import { httpMetadata } from '../../../support/metadata.ts'

const trial = cacheTrial()
const { clientWith, inFolder, read, told } = trial

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

  test('what is fresh comes without contact, exactly, and says so', async () => {
    const body = randomBytes(300_000)
    trial.server.script = cacheable(body, {
      'cache-control': 'max-age=60',
      'content-type': 'text/x',
      etag: '"e"',
      'x-own': 'ä',
    })
    const first = await client.retrieve(trial.server.url)
    expect(httpMetadata(first).cache).toEqual({ hit: false, age: null })
    await first.bytes()
    later(35)
    trial.events.length = 0
    const second = await client.retrieve(trial.server.url)
    expect(second).toMatchObject({
      mediaType: 'text/x',
      size: 300_000,
      etag: '"e"',
      completeness: 'verified',
      metadata: { status: 200, cache: { hit: true, age: 35 }, headers: { age: '35', 'x-own': 'ä' } },
    })
    expect(Buffer.from(await second.bytes()).equals(body)).toBe(true)
    expect(trial.events.map(({ type }) => type).filter((type) => type !== 'progress')).toEqual([
      'resolved',
      'cached',
      'done',
    ])
    expect(trial.events).toContainEqual({ type: 'cached', url: trial.server.url, how: 'hit', age: 35 })
    expect(trial.server.asked).toHaveLength(1)
  })

  test('after its max-age it is asked for again', async () => {
    await read(client)
    later(59)
    await read(client)
    expect(trial.server.asked).toHaveLength(1)
    later(2)
    trial.server.script = cacheable('new', { 'cache-control': 'max-age=60' })
    expect(await read(client)).toBe('new')
    expect(await read(client)).toBe('new')
    expect(told()).toEqual(['stored', 'hit', 'stored', 'hit'])
  })

  test('what is still the same after it comes from here, again and again', async () => {
    trial.server.script = cacheable('body', { 'cache-control': 'max-age=60', etag: '"1"' })
    await read(client)
    for (let round = 0; round < 3; round++) {
      later(61)
      expect(await read(client)).toBe('body')
      expect(await read(client)).toBe('body')
    }
    expect(trial.server.asked.map(({ fields }) => fields['if-none-match'])).toEqual([undefined, '"1"', '"1"', '"1"'])
    expect(told()).toEqual(['stored', 'revalidated', 'hit', 'revalidated', 'hit', 'revalidated', 'hit'])
  })

  test('what has changed is new', async () => {
    trial.server.script = cacheable('old', { 'cache-control': 'max-age=60', etag: '"1"' })
    await read(client)
    later(61)
    trial.server.script = cacheable('new one', { 'cache-control': 'max-age=60', etag: '"2"' })
    expect(await read(client)).toBe('new one')
    expect(await read(client)).toBe('new one')
    expect(trial.server.asked).toHaveLength(2)
  })

  test('years later the validator is still there', async () => {
    trial.server.script = cacheable('body', { 'last-modified': at(-1000), etag: '"1"' })
    await read(client)
    later(3 * 365 * 86_400)
    expect(await read(client)).toBe('body')
    expect(told()).toEqual(['stored', 'revalidated'])
  })

  test('a body is the same to every reader, and early leave harms nothing', async () => {
    const body = randomBytes(400_000)
    trial.server.script = cacheable(body, { 'cache-control': 'max-age=60' })
    await (await client.retrieve(trial.server.url)).bytes()
    const path = join(trial.folder, 'saved')
    await (await client.retrieve(trial.server.url)).saveTo(path)
    expect(readFileSync(path).equals(body)).toBe(true)
    const written: Uint8Array[] = []
    await (await client.retrieve(trial.server.url)).writeTo((chunk) => void written.push(chunk.slice()))
    expect(Buffer.concat(written).equals(body)).toBe(true)
    for await (const chunk of await client.retrieve(trial.server.url)) {
      // It is the consumer's own.
      chunk.fill(0)
      break
    }
    await (await client.retrieve(trial.server.url)).cancel()
    const response = (await client.retrieve(trial.server.url)).toResponse()
    expect(Buffer.from(await response.arrayBuffer()).equals(body)).toBe(true)
    expect(trial.server.asked).toHaveLength(1)
  })

  test('an abort in the middle of what is kept: the reader is told', async () => {
    trial.server.script = cacheable(randomBytes(400_000), { 'cache-control': 'max-age=60' })
    await (await client.retrieve(trial.server.url)).bytes()
    const controller = new AbortController()
    const hit = await client.retrieve(trial.server.url, { signal: controller.signal })
    const reader = hit[Symbol.asyncIterator]()
    await reader.next()
    controller.abort()
    expect(await failure(reader.next())).toMatchObject({ code: 'aborted' })
  })

  test('HEAD is answered out of what GET brought, not the other way', async () => {
    expect(await (await client.retrieve(trial.server.url, { head: true })).text()).toBe('')
    expect(await (await client.retrieve(trial.server.url, { head: true })).text()).toBe('')
    expect(trial.server.lines).toEqual(['HEAD / HTTP/1.1'])
    expect(await read(client)).toBe('body')
    const head = await client.retrieve(trial.server.url, { head: true })
    expect(head).toMatchObject({ size: 4, metadata: { cache: { hit: true } } })
    expect(trial.server.lines).toEqual(['HEAD / HTTP/1.1', 'GET / HTTP/1.1'])
  })

  test('Vary: each has its own', async () => {
    trial.server.script = (asked) =>
      cacheable(`for ${asked.fields.accept}`, { 'cache-control': 'max-age=60', vary: 'Accept' })(asked)
    const forAccept = (accept: string): Promise<string> => read(client, '', { accept })
    expect([await forAccept('a/a'), await forAccept('b/b'), await forAccept('a/a'), await forAccept('b/b')]).toEqual([
      'for a/a',
      'for b/b',
      'for a/a',
      'for b/b',
    ])
    expect(trial.server.asked).toHaveLength(2)
  })

  test.each<[string, Record<string, string>]>([
    ['no-store', { 'cache-control': 'no-store, max-age=60' }],
    ['no word of it, and no validator', {}],
    ['Vary: *', { 'cache-control': 'max-age=60', vary: 'accept, *' }],
    ['a max-age that is no number', { 'cache-control': 'max-age=1m' }],
    ['an Expires that is none', { expires: '0' }],
    ['an Age beyond it', { 'cache-control': 'max-age=60', age: '61' }],
    ['a Date long ago', { 'cache-control': 'max-age=60', date: 'Wed, 01 May 2024 00:00:00 GMT' }],
  ])('is not kept: %s', async (_name, headers) => {
    later(120)
    trial.server.script = cacheable('body', headers)
    await read(client)
    await read(client)
    expect(trial.server.asked).toHaveLength(2)
    expect(told()).toEqual([])
  })

  test.each<[string, () => Record<string, string>, number]>([
    ['max-age', () => ({ 'cache-control': 'max-age=100' }), 100],
    ['private', () => ({ 'cache-control': 'private, max-age=100' }), 100],
    [
      'max-age before Expires and s-maxage',
      () => ({ 'cache-control': 's-maxage=9, max-age=100', expires: at(500) }),
      100,
    ],
    ['Expires', () => ({ date: at(0), expires: at(100) }), 100],
    ['Age', () => ({ 'cache-control': 'max-age=130', age: '30' }), 100],
    ['Date', () => ({ 'cache-control': 'max-age=130', date: at(-30) }), 100],
    ['a tenth of its age', () => ({ 'last-modified': at(-1000) }), 100],
    ['a tenth of its age, up to a day', () => ({ 'last-modified': at(-10 * 365 * 86_400) }), 86_400],
  ])('is fresh for as long as %s says', async (_name, headers, seconds) => {
    trial.server.script = cacheable('body', headers())
    await read(client)
    later(seconds - 2)
    await read(client)
    expect(trial.server.asked).toHaveLength(1)
    later(3)
    await read(client)
    expect(trial.server.asked).toHaveLength(2)
  })

  test.each(['no-cache, max-age=60', 'no-cache="x-own", max-age=60', 'max-age=0, must-revalidate'])(
    '%s is kept, and asked after each time',
    async (control) => {
      trial.server.script = cacheable('body', { 'cache-control': control, etag: '"1"' })
      await read(client)
      await read(client)
      expect(told()).toEqual(['stored', 'revalidated'])
      expect(trial.server.asked).toHaveLength(2)
    },
  )

  test('a 304 about something else is not believed', async () => {
    trial.server.script = cacheable('old', { 'cache-control': 'max-age=60', etag: '"1"' })
    await read(client)
    later(61)
    trial.server.script = (asked) =>
      asked.fields['if-none-match'] === undefined
        ? cacheable('new', { etag: '"2"' })(asked)
        : notModified({ etag: '"2"' })
    expect(await read(client)).toBe('new')
    expect(trial.server.asked).toHaveLength(3)
  })

  test('Last-Modified asks where there is no entity tag', async () => {
    const modified = at(-5)
    trial.server.script = cacheable('body', { 'cache-control': 'max-age=60', 'last-modified': modified })
    await read(client)
    later(61)
    // Some servers send a length with a 304, which is not that of the body (RFC 9110 8.6 has it otherwise).
    trial.server.script = () => notModified({ 'cache-control': 'max-age=60', 'Content-Length': '0' })
    expect(await client.retrieve(trial.server.url).then(async (got) => [got.size, await got.text()])).toEqual([
      4,
      'body',
    ])
    expect(trial.server.asked[1]?.fields['if-modified-since']).toBe(modified)
    expect(await read(client)).toBe('body')
    expect(trial.server.asked).toHaveLength(2)
  })

  test('a date in the form of asctime is GMT, wherever we are', async () => {
    vi.stubEnv('TZ', 'Asia/Tokyo')
    onTestFinished(() => void vi.unstubAllEnvs())
    const last = { 'cache-control': 'max-age=60', 'last-modified': 'Sat Feb  3 04:05:06 2001' }
    trial.server.script = cacheable('body', last)
    await read(client)
    later(61)
    await read(client)
    expect(trial.server.asked[1]?.fields['if-modified-since']).toBe('Sat, 03 Feb 2001 04:05:06 GMT')
  })

  describe('when the server fails', () => {
    const broken: HttpScript = () => reply(503, {})

    test.each([
      ['max-age=60, stale-if-error=100', 100, true],
      ['max-age=60, stale-if-error=100', 200, false],
      ['max-age=60', 100, false],
      ['max-age=60, must-revalidate, stale-if-error=100', 100, false],
      ['no-cache, stale-if-error=100', 10, false],
    ])('%s: after %d s it stands in: %s', async (control, seconds, stands) => {
      trial.server.script = cacheable('old', { 'cache-control': control, etag: '"1"' })
      await read(client)
      later(seconds)
      trial.server.script = broken
      const expected = stands ? 'old' : expect.objectContaining({ code: 'http-error', status: 503 })
      expect(await read(client).catch((error: unknown) => error)).toEqual(expected)
      await trial.server[Symbol.asyncDispose]()
      expect(await read(client).catch((error: unknown) => error)).toEqual(
        stands ? 'old' : expect.objectContaining({ code: 'connect-failed' }),
      )
      expect(told()).toEqual(stands ? ['stored', 'stale', 'stale'] : ['stored'])
      expect(trial.events.filter(({ type }) => type === 'remark')).toHaveLength(stands ? 2 : 0)
    })

    test('the failure is not kept, and what was before stays', async () => {
      trial.server.script = cacheable('old', { 'cache-control': 'max-age=60', etag: '"1"' })
      await read(client)
      later(61)
      trial.server.script = cacheable('failed', { 'cache-control': 'max-age=60' }, 500)
      expect(await read(client, '', { fail: false })).toBe('failed')
      trial.server.script = cacheable('old', { 'cache-control': 'max-age=60', etag: '"1"' })
      expect(await read(client)).toBe('old')
      expect(told()).toEqual(['stored', 'revalidated'])
    })
  })

  test.each<[string, RetrieveOptions]>([
    ['a range', { range: [0, 1] }],
    ['resumeFrom', { resumeFrom: 2 }],
    ['If-None-Match', { ifNoneMatch: '"x"' }],
    ['If-Modified-Since', { ifChangedSince: new Date(0) }],
    ['a part of his own asking', { headers: { Range: 'bytes=0-' } }],
    ['a login of his own', { headers: { Authorization: 'Bearer x' } }],
    ['a cookie', { headers: { Cookie: 'a=b' } }],
    ['a key', { headers: { 'X-API-Key': 'k' } }],
    ['a login under a name of the server’s own', { headers: { 'X-Remote-User': 'alice' } }],
    ['a login for a proxy', { headers: { 'Proxy-Authorization': 'Basic eA==' } }],
    ['any field that says who asks', { headers: { 'X-Tenant': 'a', Accept: '*/*' } }],
    ['no-store', { headers: { 'Cache-Control': 'no-store' } }],
  ])('past the cache goes %s, there and back', async (_name, options) => {
    const retrieve = (): Promise<unknown> =>
      failure(client.retrieve(trial.server.url, options).then((got) => got.text()))
    await retrieve()
    await read(client)
    await retrieve()
    expect(trial.server.asked).toHaveLength(3)
    expect(told()).toEqual(['stored'])
  })

  test('past the cache goes a user without a password', async () => {
    const url = trial.server.url.replace('//', '//alice@')
    for (let round = 0; round < 2; round++) await (await client.retrieve(url)).text()
    expect(trial.server.asked).toHaveLength(2)
  })

  test('past the cache goes a user in the URL', async () => {
    const url = trial.server.url.replace('//', '//alice:s3cr3t@')
    for (let round = 0; round < 2; round++) await (await client.retrieve(url)).text()
    expect(trial.server.asked.map(({ fields }) => fields.authorization)).toEqual([
      'Basic YWxpY2U6czNjcjN0',
      'Basic YWxpY2U6czNjcjN0',
    ])
    await read(client)
    expect(trial.server.asked).toHaveLength(3)
  })

  test.each<[string, number, number]>([
    ['no-cache', 10, 2],
    ['max-age=5', 10, 2],
    ['max-age=15', 10, 1],
    ['min-fresh=55', 10, 2],
    ['min-fresh=45', 10, 1],
    ['max-stale=20', 70, 1],
    ['max-stale=5', 70, 2],
  ])('the caller may say %s, %d s later', async (control, seconds, requests) => {
    await read(client)
    later(seconds)
    await read(client, '', { headers: { 'cache-control': control } })
    expect(trial.server.asked).toHaveLength(requests)
  })

  test.each(['Accept', 'Accept-Language', 'User-Agent', 'Referer'])('%s of the caller’s does not', async (name) => {
    for (let round = 0; round < 2; round++) await read(client, '', { headers: { [name]: 'x' } })
    expect(trial.server.asked).toHaveLength(1)
    expect(told()).toEqual(['stored', 'hit'])
  })

  test('max-stale is nothing against must-revalidate', async () => {
    trial.server.script = cacheable('body', { 'cache-control': 'max-age=60, must-revalidate' })
    await read(client)
    later(70)
    await read(client, '', { headers: { 'cache-control': 'max-stale=20' } })
    expect(trial.server.asked).toHaveLength(2)
  })

  test('only-if-cached lets nobody be asked', async () => {
    const asked = (): Promise<unknown> => failure(read(client, '', { headers: { 'cache-control': 'only-if-cached' } }))
    expect(await asked()).toMatchObject({ code: 'http-error', status: 504 })
    await read(client)
    expect(await asked()).toBe('no failure')
    expect(trial.server.asked).toHaveLength(1)
  })

  test('a redirect and a 404 are kept as the server says', async () => {
    const control = { 'cache-control': 'max-age=60' }
    trial.server.script = (asked) =>
      asked.target === '/'
        ? cacheable('', { location: '/gone', ...control }, 301)(asked)
        : cacheable('nothing', control, 404)(asked)
    for (let round = 0; round < 2; round++)
      expect(await failure(client.retrieve(trial.server.url))).toMatchObject({ code: 'not-found' })
    expect(trial.server.lines).toEqual(['GET / HTTP/1.1', 'GET /gone HTTP/1.1'])
    trial.server.script = cacheable('', { location: '/gone' }, 302)
    for (let round = 0; round < 2; round++) await failure(client.retrieve(`${trial.server.url}x`))
    expect(trial.server.lines.slice(2)).toEqual(['GET /x HTTP/1.1', 'GET /x HTTP/1.1'])
  })

  test.each<[string, Fields]>([
    ['by its length', { 'Content-Length': '10' }],
    ['by its last chunk', chunked],
  ])('a body cut short is not kept: %s', async (_name, framing) => {
    const octets = reply(200, { 'cache-control': 'max-age=60', ...framing }, '5\r\n12345')
    trial.server.script = () => ({ octets, end: 'fin' })
    expect(await failure(read(client))).toMatchObject({ code: 'partial' })
    trial.server.script = cacheable('whole', { 'cache-control': 'max-age=60' })
    expect(await read(client)).toBe('whole')
    expect(told()).toEqual(['stored'])
  })

  test('a body of which nobody knows the end is not kept', async () => {
    trial.server.script = () => ({
      octets: reply(200, { 'cache-control': 'max-age=60', 'Content-Length': null }, '12345'),
      end: 'fin',
    })
    expect(await read(client)).toBe('12345')
    expect(told()).toEqual([])
  })

  test('the end of a chunked body is verified out of the cache', async () => {
    trial.server.script = () => reply(200, { 'cache-control': 'max-age=60', ...chunked }, '5\r\n12345\r\n0\r\n\r\n')
    const first = await client.retrieve(trial.server.url)
    expect(first).toMatchObject({ size: null, completeness: 'terminated' })
    await first.text()
    const second = await client.retrieve(trial.server.url)
    expect(second).toMatchObject({ size: 5, completeness: 'verified' })
    expect(await second.text()).toBe('12345')
  })

  test('a body that was given up is not kept', async () => {
    trial.server.script = cacheable(randomBytes(1_000_000), { 'cache-control': 'max-age=60' })
    for await (const _ of await client.retrieve(trial.server.url)) break
    await (await client.retrieve(trial.server.url)).cancel()
    await client.close()
    expect(trial.server.asked).toHaveLength(2)
    expect(told()).toEqual([])
    expect(readdirSync(trial.folder)).toEqual([])
  })

  test('what is encoded comes only to who has asked for it, whatever Vary says', async () => {
    trial.server.script = cacheable('octets', { 'cache-control': 'max-age=60', 'content-encoding': 'gzip' })
    const encoded = { headers: { 'Accept-Encoding': 'gzip' } }
    await (await client.retrieve(trial.server.url, encoded)).bytes()
    trial.server.script = cacheable('text', { 'cache-control': 'max-age=60' })
    expect(await read(client)).toBe('text')
    const again = await client.retrieve(trial.server.url, encoded)
    expect(httpMetadata(again).cache).toMatchObject({ hit: true })
    await again.cancel()
    expect(trial.server.asked).toHaveLength(2)
  })
})

test('a client certificate goes past the cache', async () => {
  const client = clientWith('memory', { tls: { cert: testCertificate, key: testKey } })
  for (let round = 0; round < 2; round++) await read(client)
  expect(trial.server.asked).toHaveLength(2)
})

test('what nobody has vouched for is not served to who asks for certificates', async () => {
  await using secure = await startServers({ http: { faults: { replies: { '/x': keptReply } } }, tls: true })
  const url = `${secure.http.url}x`
  const careless = clientWith(inFolder(), { tls: { insecure: true } })
  for (let round = 0; round < 2; round++) await (await careless.retrieve(url)).text()
  expect(secure.http.received).toHaveLength(1)
  expect(await failure(clientWith(inFolder()).retrieve(url))).toMatchObject({ code: 'certificate' })
  await (await clientWith(inFolder(), { tls: { ca: testCa } }).retrieve(url)).text()
  expect(secure.http.received).toHaveLength(2)
})

test('what came from pinned addresses is not served where others are pinned', async () => {
  const pinned = clientWith(inFolder(), { addresses: { [`pinned.example:${trial.server.port}`]: ['127.0.0.1'] } })
  const url = `http://pinned.example:${trial.server.port}/`
  for (let round = 0; round < 2; round++) expect(await (await pinned.retrieve(url)).text()).toBe('body')
  expect(trial.server.asked).toHaveLength(1)
  const other = clientWith(inFolder(), {
    addresses: { [`pinned.example:${trial.server.port}`]: ['127.0.0.1', '127.0.0.2'] },
  })
  trial.server.script = cacheable('from the other', { 'cache-control': 'max-age=60' })
  expect(await (await other.retrieve(url)).text()).toBe('from the other')
  expect(told()).toEqual(['stored', 'hit', 'stored'])
})

test('what came from inside is not served where only public addresses may be contacted', async () => {
  expect(await read(clientWith(inFolder()))).toBe('body')
  const guarded = clientWith(inFolder(), { policy: { publicOnly: true } })
  expect(await failure(read(guarded))).toMatchObject({ code: 'refused' })
  expect(trial.server.asked).toHaveLength(1)
})

test('what the caller fetched is not served to a server from elsewhere that points to it', async () => {
  const inside = `inside.example:${trial.server.port}`
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

test('memory lets go of what was used the longest ago', async () => {
  const client = clientWith('memory')
  trial.server.script = cacheable(Buffer.alloc(4 * 1024 * 1024), { 'cache-control': 'max-age=60' })
  for (let number = 0; number < 20; number++) {
    await read(client, `${number}`)
    await read(client, '0')
  }
  expect(trial.server.asked).toHaveLength(20)
  await read(client, '1')
  expect(trial.server.asked).toHaveLength(21)
})

test('memory ends with the client', async () => {
  const client = clientWith('memory')
  await read(client)
  await client.close()
  await read(clientWith('memory'))
  expect(trial.server.asked).toHaveLength(2)
})

test.each<[string, unknown, RegExp]>([
  ['a word', 'disk', /httpFetcher\.cache/],
  ['no folder', {}, /httpFetcher\.cache/],
  ['an empty folder', { directory: '' }, /httpFetcher\.cache\.directory/],
  ['no size', { directory: 'x', maxSize: 0 }, /httpFetcher\.cache\.maxSize/],
  ['more', { directory: 'x', max: 1 }, /httpFetcher\.cache\.max/],
])('an option that is none: %s', (_name, cache, message) => {
  expect(() => httpFetcher({ cache: cache as CacheOption })).toThrow(message)
})
