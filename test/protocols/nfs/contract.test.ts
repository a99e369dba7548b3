import { createClient } from '@retriever/fetchers'
import { startNfsServer } from '@retriever/servers'
import { expect, test } from 'vitest'
import { testFetcher } from '../../support/contract/fetcher.ts'
import { bytesOf } from '../../support/contract/observe.ts'
import { everyOctet } from '../../support/contract/octets.ts'

testFetcher({
  mechanism: 'nfs',
  bytes: everyOctet,
  entries: ['a.bin', 'hello.txt', 'name with spaces.txt', 'grüße.txt', 'a;type=d', 'link'],
  stalls: [
    ['greeting', 'request'],
    ['response', 'request'],
    ['body', 'body'],
  ],
  short: 10,
  async start(faults = {}) {
    const server = await startNfsServer({ faults })
    return {
      server,
      object: `${server.url}pub/a.bin`,
      missing: `${server.url}pub/nope`,
      listing: `${server.url}pub/`,
    }
  },
})

test('the server gets what the plan says, octet by octet', async () => {
  await using server = await startNfsServer()
  const sent: string[] = []
  await using client = createClient({ onEvent: (event) => void (event.type === 'sent' && sent.push(event.octets)) })
  const url = `${server.url}pub/sub/deep/file.txt`
  expect((await bytesOf(client, url)).toString()).toBe('Three directories down.\n')
  expect([...sent.slice(0, 1), '<calls>']).toEqual(client.resolve(url).plan.wire)
  expect(server.received).toEqual(['LOOKUP pub/sub/deep/file.txt', 'READ /pub/sub/deep/file.txt'])
})
