import { createClient } from '@retriever/fetchers'
import { startHttpServer } from '@retriever/servers'
import { expect, test } from 'vitest'
import { testFetcher } from './fetcher.ts'
import { bytesOf } from './observe.ts'
import { everyOctet } from './octets.ts'

testFetcher({
  mechanism: 'http',
  bytes: everyOctet,
  entries: [],
  stalls: [
    ['greeting', 'request'],
    ['response', 'request'],
    ['body', 'body'],
  ],
  short: 10,
  async start(faults = {}) {
    const server = await startHttpServer({ faults })
    return {
      server,
      object: `${server.url}pub/a.bin`,
      missing: `${server.url}pub/nope`,
      login: (user, password) => `${server.url.replace('//', `//${user}:${password}@`)}auth/pub/a.bin`,
    }
  },
})

test('the server gets the request line of the plan', async () => {
  await using server = await startHttpServer()
  await using client = createClient()
  const url = `${server.url}echo?a=%2F&b`
  const text = (await bytesOf(client, url)).toString('latin1')
  const [line, host] = client.resolve(url).plan.wire[0]?.split('\r\n') ?? []
  expect(text.split('\r\n')[0]).toBe(line)
  expect(text.toLowerCase()).toContain(String(host).toLowerCase())
})
