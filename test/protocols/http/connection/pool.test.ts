/** The connections that a client keeps for a server. */

import { createClient } from '@retriever/fetchers'
import { lookingFirst } from '@retriever/fetchers/internal'
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

test('a request on a connection that rests is not written if its signal is over by then', async () => {
  await using server = await scriptedHttp(() => `${head}ab`)
  await using client = createClient({ limits: { maxRetries: 0 } })
  const abort = new AbortController()
  let isOver = false
  const signal = lookingFirst(abort.signal, () => isOver && abort.abort())
  await (await client.retrieve(server.url)).text()
  const asked = client.retrieve(server.url, {
    signal,
    use: [
      (request, next) => {
        // Before the connection is asked to send: until the next turn of the event loop, it does not.
        setImmediate(() => (isOver = true))
        return next(request)
      },
    ],
  })
  await expect(asked).rejects.toMatchObject({ code: 'aborted' })
  await (await client.retrieve(server.url)).text()
  expect(server.asked).toHaveLength(2)
})
