/** examples/s3-store.mjs, with a server that answers as S3 does. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { createClient, type Representation } from '@retriever/fetchers'
import type { Store } from '@retriever/queue'
import { S3mini } from 's3mini'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'

const objects = new Map<string, string>()
/** Statuses of the next answers, in place of those that are due. */
const statuses: number[] = []
const uploads: IncomingMessage[] = []
const server = createServer((request, response) => void answer(request, response))
const client = createClient()
let store: Store

async function answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method, url = '', headers } = request
  const octets = await buffer(request)
  if (method === 'PUT') uploads.push(request)
  const status = statuses.shift() ?? statusOf(method, url, headers['if-none-match'])
  if (method === 'PUT' && status === 200) objects.set(url, `${headers['content-type']} ${octets}`)
  response.writeHead(status).end()
}

function statusOf(method: string | undefined, url: string, condition: string | undefined): number {
  if (method === 'HEAD') return objects.has(url) ? 200 : 404
  return condition === '*' && objects.has(url) ? 412 : 200
}

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}/bucket`
  const s3 = new S3mini({ endpoint, region: 'eu-test-1', accessKeyId: 'key', secretAccessKey: 'secret' })
  const { s3Store } = await import('../../examples/s3-store.mjs' as string)
  store = s3Store(s3, 'pages/')
})
afterEach(() => {
  objects.clear()
  statuses.length = 0
  uploads.length = 0
})
afterAll(async () => {
  await client.close()
  await new Promise((resolve) => server.close(resolve))
})

const stored = { url: 'http://www.example.org/a', id: '0123456789abcdef0123456789abcdef' }
const body = (text: string): Promise<Representation> => client.retrieve(`data:text/html,${text}`)

test('of two workers that have one URL, one makes the object', async () => {
  expect(await store.has(stored)).toBe(false)
  const made = await Promise.all([store.put(stored, await body('x')), store.put(stored, await body('x'))])
  expect(made.sort()).toEqual([false, true])
  expect(await store.has(stored)).toBe(true)
  expect([...objects]).toEqual([[`/bucket/pages/${stored.id}`, 'text/html x']])
  for (const { headers } of uploads) {
    expect(headers.authorization).toMatch(/^AWS4-HMAC-SHA256 Credential=key\/.*SignedHeaders=[^,]*if-none-match/)
  }
})

test('an upload that meets another one is tried again, five times', async () => {
  statuses.push(409)
  expect(await store.put(stored, await body('x'))).toBe(true)
  expect(uploads).toHaveLength(2)
  statuses.push(409, 409, 409, 409, 409)
  await expect(store.put({ ...stored, id: 'f' }, await body('x'))).rejects.toMatchObject({ status: 409 })
})

test.each([403, 503])('%i is an error of the store', async (status) => {
  statuses.push(status)
  await expect(store.put(stored, await body('x'))).rejects.toMatchObject({ status })
  statuses.push(status)
  await expect(store.has(stored)).rejects.toMatchObject({ status })
})
