import { createClient } from '@retriever/fetchers'
import { startFtpServer } from '@retriever/servers'
import { expect, test } from 'vitest'
import { testFetcher } from '../../support/contract/fetcher.ts'
import { bytesOf } from '../../support/contract/observe.ts'
import { everyOctet } from '../../support/contract/octets.ts'

testFetcher({
  mechanism: 'ftp',
  bytes: everyOctet,
  entries: ['a.bin', 'hello.txt', 'name with spaces.txt', 'grüße.txt', 'a;type=d'],
  stalls: [
    ['greeting', 'greeting'],
    ['login', 'login'],
    ['response', 'request'],
    ['body', 'body'],
  ],
  short: 10,
  asked: [
    { head: true },
    { range: [2, 5] },
    { range: [-3, null] },
    { ifChangedSince: new Date('1990-01-01T00:00:00Z') },
  ],
  farewell: 'QUIT\r\n',
  async start(faults = {}) {
    const server = await startFtpServer({ faults })
    return {
      server,
      object: `${server.url}pub/a.bin`,
      missing: `${server.url}pub/nope`,
      listing: `${server.url}pub/`,
      login: (user, password) => `${server.url.replace('//', `//${user}:${password}@`)}pub/a.bin`,
    }
  },
})

test('the server gets what the plan says, word for word', async () => {
  await using server = await startFtpServer()
  await using client = createClient()
  const url = `${server.url.replace('//', '//alice:secret@')}pub/sub/deep/file.txt;type=a`
  await bytesOf(client, url)
  const planned = client.resolve(url).plan.wire.map((line) => line.trimEnd().replace('<password>', 'secret'))
  expect(server.received).toEqual(planned)
})
