/** Answers that end with their connection, of servers that reset it. */

import { type Client, createClient } from '@retriever/fetchers'
import { expect, test } from 'vitest'
import { startScriptedServer } from '../support/scripted-server.ts'

const options = { limits: { maxRetries: 0 } }

test.each([
  ['http', '/', 'HTTP/1.1 200 OK\r\n\r\nabc'],
  ['gopher', '/9/x', 'abc'],
  ['finger', '/x', 'abc\r\n'],
])('%s: an answer that comes together with a reset is not whole', async (scheme, path, octets) => {
  const read = async (client: Client, port: number): Promise<string> =>
    (await client.retrieve(`${scheme}://127.0.0.1:${port}${path}`)).text()
  await using reset = await startScriptedServer((socket) => {
    socket.write(octets)
    socket.resetAndDestroy()
  })
  await using ended = await startScriptedServer((socket) => socket.end(octets))
  await using client = createClient(options)
  await expect(read(client, reset.port)).rejects.toMatchObject({ code: 'partial' })
  expect((await read(client, ended.port)).trimEnd()).toBe('abc')
})
