// node --test: tests with Node's own runner, against a local FTP server.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { createClient } from '@retriever/fetchers'
import { startFtpServer } from '@retriever/servers'
import { firstLine } from './app.mjs'

let server
const client = createClient({ limits: { maxRetries: 0 } })
before(async () => {
  server = await startFtpServer({ files: { '/notes.txt': 'first\nsecond\n' } })
})
after(async () => {
  await client.close()
  await server.close()
})

test('reads the first line', async () => {
  assert.equal(await firstLine(client, `${server.url}notes.txt`), 'first')
})

test('a missing document is not-found', async () => {
  await assert.rejects(firstLine(client, `${server.url}missing.txt`), { code: 'not-found' })
})
