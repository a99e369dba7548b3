import { createClient } from '@retriever/fetchers'
import { startHttpServer } from '@retriever/servers'
import { expect, test } from 'vitest'

test('linkedFrom: the rules for links hold for a URL that a server has named', async () => {
  await using server = await startHttpServer()
  await using client = createClient()
  const linkedFrom = 'gopher://gopher.example.org/'
  for (const [url, why] of [
    ['file:///etc/hostname', 'leads to this machine itself'],
    [server.url, 'points inward'],
  ] as const) {
    const refused = expect.objectContaining({ code: 'refused', message: expect.stringContaining(why) })
    await expect(client.retrieve(url, { linkedFrom })).rejects.toThrow(refused)
  }
  const downgraded = client.retrieve('http://www.example.org/', { linkedFrom: 'https://www.example.org/' })
  await expect(downgraded).rejects.toThrow(/would leave TLS/)
  const text = await client.retrieve(`${server.url}readme.txt`, { linkedFrom: 'http://127.0.0.1/' })
  expect(await text.text()).toContain('test server')
  await expect(client.retrieve(server.url, { linkedFrom: 'no URL' })).rejects.toThrow(
    expect.objectContaining({ code: 'malformed-url' }),
  )
})
