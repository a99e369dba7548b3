/** RetrievalContext.onExchange: each request that is answered, its head, and the body as it came. */
import { gzipSync } from 'node:zlib'
import { createClient } from '@retriever/fetchers'
import { type ByteSource, type HttpExchange, type RetrievalContext, wrapFetchers } from '@retriever/fetchers/plugin'
import { expect, test } from 'vitest'
import { ok, redirectTo } from './support/http-answers.ts'
import { scriptedHttp } from './support/scripted-http.ts'

interface Seen extends HttpExchange {
  body: string
}

/** A client that notes its exchanges. */
function listening(change: (chunk: Uint8Array) => Uint8Array = (chunk) => chunk) {
  const seen: Seen[] = []
  const client = createClient()
  const onExchange: RetrievalContext['onExchange'] = (exchange, body): ByteSource => {
    const entry = { ...exchange, body: '' }
    seen.push(entry)
    return {
      async read() {
        const chunk = await body.read()
        if (chunk !== null) entry.body += Buffer.from(chunk).toString('latin1')
        return chunk === null ? null : change(chunk)
      },
      cancel: () => body.cancel(),
    }
  }
  wrapFetchers(client, (fetcher) => ({
    ...fetcher,
    mechanism: fetcher.mechanism,
    retrieve: (plan, context) => fetcher.retrieve(plan, { ...context, onExchange }),
  }))
  return { client, seen }
}

test('a redirect and the answer after it, with the address of the server', async () => {
  await using server = await scriptedHttp(({ index }) => (index === 0 ? redirectTo('/there') : ok('hello')))
  const { client, seen } = listening()
  await using _closed = client
  expect(await (await client.retrieve(server.url)).text()).toBe('hello')
  expect(seen).toMatchObject([
    { status: 302, peerAddress: '127.0.0.1', request: expect.stringMatching(/^GET \/ HTTP\/1\.1\r\nHost: /) },
    { status: 200, head: expect.stringMatching(/^HTTP\/1\.1 200 OK\r\n(?:.+\r\n)+\r\n$/), body: 'hello' },
  ])
})

test('the body of an error, and secrets masked as in events', async () => {
  const refused = 'HTTP/1.1 404 Gone Fishing\r\nSet-Cookie: a=s3cr3t\r\nContent-Length: 4\r\n\r\nnone'
  await using server = await scriptedHttp(() => refused)
  const { client, seen } = listening()
  await using _closed = client
  const asked = client.retrieve(`${server.url}?token=s3cr3t`, { headers: { 'x-token': 's3cr3t' } })
  await expect(asked).rejects.toMatchObject({ code: 'not-found' })
  expect(seen).toMatchObject([{ status: 404, body: 'none', head: expect.stringContaining('Gone Fishing') }])
  expect(JSON.stringify(seen)).not.toContain('s3cr3t')
})

test('a coded body is seen coded, one in chunks without their frames', async () => {
  const coded = gzipSync('hello').toString('latin1')
  const fields = 'Content-Encoding: gzip\r\nTransfer-Encoding: chunked'
  const chunks = `${coded.length.toString(16)}\r\n${coded}\r\n0\r\n\r\n`
  await using server = await scriptedHttp(() => `HTTP/1.1 200 OK\r\n${fields}\r\n\r\n${chunks}`)
  const { client, seen } = listening()
  await using _closed = client
  expect(await (await client.retrieve(server.url, { http: { compressed: true } })).text()).toBe('hello')
  expect(seen.map(({ body }) => body)).toEqual([coded])
})

test('what is returned is read in place of the body', async () => {
  await using server = await scriptedHttp(() => ok('hello'))
  const { client } = listening((chunk) => Buffer.from(Buffer.from(chunk).toString().toUpperCase()))
  await using _closed = client
  expect(await (await client.retrieve(server.url)).text()).toBe('HELLO')
})
