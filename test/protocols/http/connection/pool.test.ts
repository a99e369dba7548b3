/** The connections that a client keeps for a server. */

import { createClient } from '@retriever/fetchers'
import { expect, test } from 'vitest'
import { scriptedHttp } from '../support/scripted-http.ts'

const head = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n'

test('a connection that was busy while another one ended serves again', async () => {
  await using server = await scriptedHttp(({ target }) => (target === '/' ? `${head}ab` : `${head}a`))
  await using client = createClient({ limits: { maxRetries: 0 } })
  const [busy, broken] = await Promise.all([
    client.retrieve(`${server.url}busy`),
    client.retrieve(`${server.url}broken`),
  ])
  const [own] = server.asked.filter(({ target }) => target === '/busy').map(({ socket }) => socket)
  await broken.cancel()
  own?.write('b')
  expect(await busy.text()).toBe('ab')
  for (const _ of [1, 2]) expect(await (await client.retrieve(server.url)).text()).toBe('ab')
  expect(server.asked.slice(2).map(({ socket }) => socket === own)).toEqual([true, true])
  expect(server.sockets).toHaveLength(2)
})
