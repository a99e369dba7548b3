import { createClient } from '@retriever/fetchers'
import { startNntpServer } from '@retriever/servers'
import { expect, test } from 'vitest'
import { testFetcher } from '../../support/contract/fetcher.ts'
import { bytesOf } from '../../support/contract/observe.ts'

/** As the server's seed has it; dots are where a naive client would end or double them. */
const article = await (async () => {
  await using server = await startNntpServer()
  await using client = createClient()
  return await bytesOf(client, `${server.url}retriever.test/3`)
})()

testFetcher({
  mechanism: 'nntp',
  asked: [{ head: true }],
  farewell: 'QUIT\r\n',
  bytes: article,
  entries: ['A first test', 'Lines with dots'],
  stalls: [
    ['greeting', 'greeting'],
    ['response', 'request'],
    ['body', 'body'],
  ],
  short: 3,
  async start(faults = {}) {
    const server = await startNntpServer({ faults })
    return {
      server,
      object: `${server.url}retriever.test/3`,
      missing: `${server.url}retriever.test/999`,
      listing: `${server.url}retriever.test`,
    }
  },
})

test('lines that begin with dots come as they were written', () => {
  expect(article.toString('latin1')).toMatch(/\r\n\r\n\.\r\n\.\.\r\n\.leading dot\r\nin \. the middle\r\n\.\.\.\r\n$/)
  expect(article.toString('latin1')).toMatch(/^Message-ID: <dots@example\.net>\r$/m)
})

test('the server gets what the plan says', async () => {
  await using server = await startNntpServer()
  await using client = createClient()
  const url = `${server.url}retriever.test/3`
  await bytesOf(client, url)
  const planned = client.resolve(url).plan.wire.map((line) => line.trimEnd())
  expect(server.received.filter((line) => planned.includes(line))).toEqual(planned)
})

test.each(['greeting', 'login'] as const)('a login that fails (%s) shows no password', async (stall) => {
  await using server = await startNntpServer({ auth: 'required', ...(stall === 'login' ? {} : { faults: { stall } }) })
  const events: unknown[] = []
  await using client = createClient({
    limits: { idleTimeout: stall === 'login' ? 20_000 : 100, maxRetries: 0 },
    onEvent: (event) => void events.push(event),
  })
  const url = `${server.url.replace('//', '//mallory:pl4nted@')}retriever.test/3`
  await expect(bytesOf(client, url)).rejects.toMatchObject({ code: stall === 'login' ? 'auth-failed' : 'timeout' })
  expect(JSON.stringify(events)).not.toContain('pl4nted')
})
