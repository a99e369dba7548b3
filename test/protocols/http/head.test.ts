import { createClient } from '@retriever/fetchers'
import { startServers } from '@retriever/servers'
import { expect, test } from 'vitest'

test('HEAD keeps its connection', async () => {
  await using servers = await startServers({ http: true })
  const connected: string[] = []
  await using client = createClient({ onEvent: ({ type }) => void (type === 'connected' && connected.push(type)) })
  for (let round = 0; round < 3; round++) {
    const representation = await client.retrieve(`${servers.http.url}pub/hello.txt`, { head: true })
    expect([representation.size, await representation.text()]).toEqual([14, ''])
  }
  expect(connected).toHaveLength(1)
})
