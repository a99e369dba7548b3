// vitest: the same against a local HTTP server.
import { createClient } from '@retriever/fetchers'
import { startHttpServer } from '@retriever/servers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { firstLine } from './app.mjs'

let server
const client = createClient({ limits: { maxRetries: 0 } })
beforeAll(async () => {
  server = await startHttpServer({ files: { '/notes.txt': 'first\nsecond\n' } })
})
afterAll(async () => {
  await client.close()
  await server.close()
})

test('reads the first line', async () => {
  expect(await firstLine(client, `${server.url}notes.txt`)).toBe('first')
})

test('a missing document is not-found', async () => {
  await expect(firstLine(client, `${server.url}missing.txt`)).rejects.toMatchObject({ code: 'not-found' })
})
