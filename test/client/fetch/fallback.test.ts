/** The fetch for methods that do not retrieve (ClientOptions.fetchFallback). */
import { RetrievalError } from '@retriever/core'
import { type ClientOptions, createClient } from '@retriever/fetchers'
import { startHttpServer } from '@retriever/servers'
import { expect, test, vi } from 'vitest'

function fallbackClient(options: ClientOptions = {}) {
  const fallback = vi.fn<typeof globalThis.fetch>(async () => new Response('from the fallback', { status: 201 }))
  return { fallback, client: createClient({ fetchFallback: fallback, ...options }) }
}

/** The RetrievalError behind the TypeError with which a fetch ends. */
async function causeOf(fetching: Promise<Response>): Promise<RetrievalError> {
  const error: unknown = await fetching.catch((reason: unknown) => reason)
  const cause = error instanceof TypeError ? error.cause : error
  if (!RetrievalError.is(cause)) throw new Error(`Expected a RetrievalError, got ${String(error)}`)
  return cause
}

test.each(['POST', 'put', 'DELETE', 'PATCH', 'OPTIONS', 'QUERY'])('gets a call with %s as it is', async (method) => {
  const { client, fallback } = fallbackClient()
  const init = { method, body: '{"a":1}', headers: { 'x-a': '1' }, keepalive: true }
  const response = await client.fetch('https://www.example.org/items', init)
  expect([response.status, await response.text()]).toEqual([201, 'from the fallback'])
  expect(fallback.mock.calls).toEqual([['https://www.example.org/items', init]])
  expect(fallback.mock.calls[0]?.[1]).toBe(init)
  await client.close()
})

test('gets a Request with its body unread', async () => {
  await using server = await startHttpServer()
  server.route('/items', async (request) => new Response(`${request.method} ${request.target}`))
  await using client = createClient({ fetchFallback: globalThis.fetch })
  const request = new Request(`${server.url}items`, { method: 'POST', body: 'text' })
  const response = await client.fetch(request)
  expect(await response.text()).toBe('POST /items')
})

test("GET and HEAD are the client's own, whatever their case", async () => {
  await using server = await startHttpServer({ files: { '/a.txt': 'text of a' } })
  const { client, fallback } = fallbackClient()
  for (const init of [undefined, {}, { method: 'get' }, { method: 'HEAD' }]) {
    expect((await client.fetch(`${server.url}a.txt`, init)).status).toBe(200)
  }
  expect(fallback).not.toHaveBeenCalled()
  await client.close()
})

test.each([
  [{ policy: { schemes: ['ftp'] } }, 'http://h.invalid/', 'refused'],
  [{}, 'http://h.invalid:25/', 'refused'],
  [{}, 'http://h.invalid:x/', 'malformed-url'],
  [{}, 'ftp://h.invalid/x', 'invalid-option'],
  [{}, 'data:,x', 'invalid-option'],
])('with %j, POST to %s is %s', async (options, url, code) => {
  const { client, fallback } = fallbackClient(options)
  expect(await causeOf(client.fetch(url, { method: 'POST' }))).toMatchObject({ code })
  expect(fallback).not.toHaveBeenCalled()
  await client.close()
})

test("what it throws is the caller's", async () => {
  const own = new Error('own')
  await using client = createClient({ fetchFallback: async () => Promise.reject(own) })
  await expect(client.fetch('http://h.invalid/', { method: 'POST' })).rejects.toBe(own)
})

test('after close() it is not called', async () => {
  const { client, fallback } = fallbackClient()
  await client.close()
  expect(await causeOf(client.fetch('http://h.invalid/', { method: 'POST' }))).toMatchObject({ code: 'aborted' })
  expect(fallback).not.toHaveBeenCalled()
})

test('without it, the error names it', async () => {
  await using client = createClient()
  const cause = await causeOf(client.fetch('http://h.invalid/', { method: 'POST' }))
  expect(cause).toMatchObject({ code: 'invalid-option', message: expect.stringMatching(/`fetchFallback`/) })
})

test('it is a function, and does not go together with publicOnly', () => {
  expect(() => createClient({ fetchFallback: 'fetch' as never })).toThrow(/`fetchFallback` to be a function/)
  const both: ClientOptions = { fetchFallback: globalThis.fetch, policy: { publicOnly: true } }
  expect(() => createClient(both)).toThrow(/`fetchFallback` to be absent under `policy.publicOnly`/)
})
