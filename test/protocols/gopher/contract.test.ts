import { createClient } from '@retriever/fetchers'
import { startGopherServer } from '@retriever/servers'
import { expect, test } from 'vitest'
import { testFetcher } from '../../support/contract/fetcher.ts'
import { bytesOf } from '../../support/contract/observe.ts'
import { everyOctet } from '../../support/contract/octets.ts'

testFetcher({
  mechanism: 'gopher',
  asked: [{ accept: 'text/plain' }],
  bytes: everyOctet,
  entries: ['a.bin', 'hello.txt', 'sub', 'grüße.txt'],
  stalls: [
    ['greeting', 'request'],
    ['response', 'request'],
    ['body', 'body'],
  ],
  unframed: true,
  async start(faults = {}) {
    const server = await startGopherServer({ faults })
    return {
      server,
      object: `${server.url}9/pub/a.bin`,
      missing: `${server.url}9/pub/nope`,
      listing: `${server.url}1/pub`,
    }
  },
})

test('Gopher+ knows the length, so a short body is partial', async () => {
  await using server = await startGopherServer({ faults: { shortBody: 10 } })
  await using client = createClient()
  await expect(bytesOf(client, `${server.url}9/pub/a.bin%09%09+`)).rejects.toMatchObject({ code: 'partial' })
})

test('the server gets what the plan says', async () => {
  await using server = await startGopherServer()
  await using client = createClient()
  for (const path of [
    '0/pub/hello.txt',
    '7/search%09first%20line',
    '9/pub/a.bin%09%09+',
    '0/pub/hello.txt%09%09!',
    '',
  ]) {
    await bytesOf(client, server.url + path)
    expect(`${server.received.at(-1)}\r\n`).toBe(client.resolve(server.url + path).plan.wire[0])
  }
})
