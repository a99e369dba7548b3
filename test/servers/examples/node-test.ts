import assert from 'node:assert/strict'
import { after, afterEach, test } from 'node:test'
import { createClient } from '@retriever/fetchers'
import { startFtpServer } from '@retriever/servers'

const server = await startFtpServer({ accounts: { zoe: 'pass' }, auth: 'required' })
afterEach(() => server.reset())
after(() => server.close())

test('logs in and retrieves a file that changes', async () => {
  await using client = createClient()
  const url = `ftp://zoe:pass@${server.host}:${server.port}/news.txt`
  server.setFiles({ '/news.txt': 'old' })
  assert.equal(await (await client.retrieve(url)).text(), 'old')
  server.setFiles({ '/news.txt': { content: 'new', modified: new Date() } })
  assert.equal(await (await client.retrieve(url)).text(), 'new')

  const files = server.requests.filter(({ method }) => method === 'RETR')
  assert.deepEqual(
    files.map(({ target, connection }) => [target, connection]),
    [
      ['news.txt', 1],
      ['news.txt', 1],
    ],
  )
})

test('a server that goes silent is a timeout', async () => {
  server.setFaults({ stall: 'greeting' })
  await using client = createClient({ limits: { idleTimeout: 100, maxRetries: 0 } })
  await assert.rejects(client.retrieve(`${server.url}readme.txt`), { code: 'timeout' })
  await server.waitForConnections(0)
})
