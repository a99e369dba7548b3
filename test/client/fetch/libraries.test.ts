/** Programs that know only fetch(), unmodified, on client.fetch. */
import { createClient } from '@retriever/fetchers'
import { startServers } from '@retriever/servers'
import ky, { HTTPError, TimeoutError } from 'ky'
import { createFetch } from 'ofetch'
import createOpenApiClient from 'openapi-fetch'
import { S3mini } from 's3mini'
import { expect, test } from 'vitest'
import { reply } from '../../protocols/http/support/http-answers.ts'
import { scriptedHttp } from '../../protocols/http/support/scripted-http.ts'

const json = (content: unknown, status = 200, fields = {}): Buffer =>
  reply(status, { 'Content-Type': 'application/json', ...fields }, JSON.stringify(content))

test('ky: JSON, search parameters, hooks, tries after 503 and after a broken connection, errors', async () => {
  let tries = 0
  await using server = await scriptedHttp(({ target }) => {
    if (target === '/flaky' && tries++ < 2) return json({}, 503, { 'Retry-After': '0' })
    if (target === '/silent') return undefined
    if (target === '/missing') return json({ error: 'none' }, 404)
    return json({ target })
  })
  await using client = createClient()
  const seen: number[] = []
  const api = ky.create({
    fetch: client.fetch,
    prefixUrl: server.url,
    retry: { limit: 3, delay: () => 0 },
    hooks: { afterResponse: [async (_request, _options, response) => void seen.push(response.status)] },
  })
  expect(await api.get('a', { searchParams: { b: 'c' } }).json()).toEqual({ target: '/a?b=c' })
  expect(server.asked[0]?.fields.accept).toBe('application/json')
  expect(await api.get('flaky').json()).toEqual({ target: '/flaky' })
  expect(seen).toEqual([200, 503, 503, 200])
  const error = await api.get('missing', { retry: 0 }).catch((reason: unknown) => reason)
  expect(error).toBeInstanceOf(HTTPError)
  if (error instanceof HTTPError) expect(await error.response.json()).toEqual({ error: 'none' })
  await expect(api.get('silent', { timeout: 50, retry: 0 })).rejects.toBeInstanceOf(TimeoutError)
  const progress: number[] = []
  const onDownloadProgress = ({ transferredBytes }: { transferredBytes: number }) =>
    void progress.push(transferredBytes)
  await api.get('a', { onDownloadProgress }).text()
  expect(progress.at(-1)).toBe(15)
})

test('ky tries again where the network fails', async () => {
  let tries = 0
  await using server = await scriptedHttp(() =>
    tries++ === 0 ? { octets: 'HTTP/1.1 200', end: 'fin' } : json({ tries }),
  )
  await using client = createClient({ limits: { maxRetries: 0 } })
  const got = await ky.get(server.url, { fetch: client.fetch, retry: { limit: 2, delay: () => 0 } }).json()
  expect(got).toEqual({ tries: 2 })
})

test('openapi-fetch: paths, queries, data and errors', async () => {
  interface Paths {
    '/pets/{id}': {
      get: {
        parameters: { path: { id: number }; query?: { full?: boolean } }
        responses: {
          200: { content: { 'application/json': { target: string } } }
          404: { content: { 'application/json': { error: string } } }
        }
      }
    }
  }
  await using server = await scriptedHttp(({ target }) =>
    target.startsWith('/pets/7') ? json({ target }) : json({ error: 'none' }, 404),
  )
  await using client = createClient()
  const api = createOpenApiClient<Paths>({ baseUrl: server.url, fetch: client.fetch })
  const found = await api.GET('/pets/{id}', { params: { path: { id: 7 }, query: { full: true } } })
  expect(found.data).toEqual({ target: '/pets/7?full=true' })
  const missing = await api.GET('/pets/{id}', { params: { path: { id: 8 } } })
  expect([missing.error, missing.response.status]).toEqual([{ error: 'none' }, 404])
})

test('ofetch: parsed answers, streams, tries, errors', async () => {
  let tries = 0
  await using server = await scriptedHttp(({ target }) => {
    if (target === '/flaky' && tries++ === 0) return json({}, 500)
    return target === '/missing' ? json({ error: 'none' }, 404) : json({ target })
  })
  await using client = createClient()
  const get = createFetch({ fetch: client.fetch, Headers, AbortController, defaults: { baseURL: server.url } })
  expect(await get('a', { query: { b: 'c' } })).toEqual({ target: '/a?b=c' })
  expect(await get('flaky', { retryDelay: 0 })).toEqual({ target: '/flaky' })
  const stream = await get('a', { responseType: 'stream' })
  expect(await new Response(stream).json()).toEqual({ target: '/a' })
  await expect(get('missing')).rejects.toMatchObject({ name: 'FetchError', statusCode: 404, data: { error: 'none' } })
})

test('s3mini: objects, their heads and listings, all signed', async () => {
  const contents = '<Contents><Key>a.txt</Key><Size>5</Size><ETag>"e"</ETag></Contents>'
  const listing = `<ListBucketResult><IsTruncated>false</IsTruncated>${contents}</ListBucketResult>`
  await using server = await scriptedHttp(({ line, target, fields }) => {
    if (!fields.authorization?.startsWith('AWS4-HMAC-SHA256 Credential=AKIAEXAMPLE/')) return reply(403, {})
    if (target.includes('list-type')) return reply(200, { 'Content-Type': 'application/xml' }, listing)
    if (!target.startsWith('/bucket/a.txt')) return reply(404, {})
    if (line.startsWith('HEAD')) return reply(200, { ETag: '"e"', 'Content-Length': '5' })
    return fields.range === undefined ? reply(200, { ETag: '"e"' }, 'hello') : reply(206, {}, 'ell')
  })
  await using client = createClient()
  const s3 = new S3mini({
    accessKeyId: 'AKIAEXAMPLE',
    secretAccessKey: 'example',
    endpoint: `${server.url}bucket`,
    region: 'auto',
    fetch: client.fetch,
  })
  expect(await s3.getObject('a.txt')).toBe('hello')
  expect(await s3.getObject('b.txt')).toBeNull()
  expect(await s3.getContentLength('a.txt')).toBe(5)
  expect(await (await s3.getObjectRaw('a.txt', false, 1, 4)).text()).toBe('ell')
  expect(await s3.listObjects()).toMatchObject([{ Key: 'a.txt' }])
})

test('in place of the global fetch, it brings every scheme to code that knows only fetch()', async () => {
  /** The code of somebody else. */
  async function titleOf(url: string): Promise<string> {
    const response = await fetch(url)
    if (!response.ok) throw new Error(`${response.status} ${response.statusText}`)
    return (await response.text()).split(/\r?\n/, 1).join()
  }
  await using servers = await startServers({ http: true, ftp: true, gopher: true, nntp: true })
  await using client = createClient({ defaults: { newsServer: `127.0.0.1:${servers.nntp.port}` } })
  const real = globalThis.fetch
  globalThis.fetch = client.fetch
  try {
    expect(await titleOf(`${servers.http.url}pub/hello.txt`)).toBe('Hello, world.')
    expect(await titleOf(`${servers.ftp.url}pub/hello.txt`)).toBe('Hello, world.')
    expect(await titleOf(`${servers.gopher.url}0/pub/hello.txt`)).toBe('Hello, world.')
    expect(await titleOf('news:two@example.net')).toMatch(/^[\w-]+: /)
    expect(await titleOf('data:,Hello%2C%20world.')).toBe('Hello, world.')
    await expect(titleOf(`${servers.ftp.url}nothing`)).rejects.toThrow('404 Not Found')
    await expect(titleOf(`${servers.gopher.url}0/nothing`)).rejects.toThrow('404 Not Found')
  } finally {
    globalThis.fetch = real
  }
})
