/** undici's client as HTTP/1.1 uses it: the class that undici exports, on a socket that we feed. */

import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { setTimeout as after } from 'node:timers/promises'
import { Client, type Dispatcher } from 'undici'
import { afterEach, expect, test } from 'vitest'
import { UndiciClient } from '../../../../packages/fetchers/src/protocols/http/connection/undici-client.ts'

const closers: (() => void)[] = []
afterEach(() => {
  for (const close of closers.splice(0)) close()
})

/** A connection, and its other end. */
async function connection(): Promise<{ socket: Socket; peer: Socket }> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  const socket = connect(address.port, '127.0.0.1')
  const [peer] = (await once(server, 'connection')) as [Socket]
  await once(socket, 'connect')
  closers.push(() => {
    socket.destroy()
    peer.destroy()
    server.close()
  })
  return { socket, peer }
}

/** Notes what the client says. */
function recorder(): { said: string[]; handler: Dispatcher.DispatchHandler } {
  const said: string[] = []
  return {
    said,
    handler: {
      onRequestStart: () => void said.push('start'),
      onResponseStart: (_controller, status) => void said.push(`status ${status}`),
      onResponseData: (_controller, chunk) => void said.push(`data ${chunk.toString('latin1')}`),
      onResponseEnd: () => void said.push('end'),
      onResponseError: (_controller, { name }) => void said.push(name),
    },
  }
}

const sources = new URL('../../../../packages/fetchers/src/', import.meta.url)

/** Waits until undici expects an answer. */
async function ask(socket: Socket, handler: Dispatcher.DispatchHandler): Promise<UndiciClient> {
  return new Promise((resolve) => {
    const client = new UndiciClient(socket, 1000, () => queueMicrotask(() => resolve(client)))
    client.expect(handler)
  })
}

test('the one internal import is the very class that undici exports', async () => {
  const path: string = 'undici/lib/dispatcher/client.js'
  const { default: inner } = await import(path)
  expect(inner).toBe(Client)
  const files = readdirSync(sources, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'))
  const importing = files.filter((file) => /from 'undici\//.test(readFileSync(new URL(file, sources), 'utf8')))
  expect(importing).toEqual(['protocols/http/connection/undici-client.ts'])
})

test('an answer is expected, and nothing is written', async () => {
  const { socket } = await connection()
  const { handler, said } = recorder()
  const client = await ask(socket, handler)
  client.parse(Buffer.from('HTTP/1.1 204 \r\n\r\n'))
  expect([said, socket.bytesWritten]).toEqual([['start', 'status 204', 'end'], 0])
})

test('octets are parsed before parse() returns, and only those', async () => {
  const { socket, peer } = await connection()
  const { handler, said } = recorder()
  const client = await ask(socket, handler)
  peer.write('HTTP/1.1 500 No\r\n\r\n')
  await after(20)
  expect(said).toEqual(['start'])
  expect(client.parse(Buffer.from('HTTP/1.1 200 \r\nContent-Length: 5\r\n\r\nab'))).toBe(true)
  expect(said).toEqual(['start', 'status 200', 'data ab'])
  client.parse(Buffer.from('cde'))
  expect(said.slice(3)).toEqual(['data cde', 'end'])
})

test('an end that comes while a body is read slowly ends no process (nodejs/undici#5360)', async () => {
  const { socket } = await connection()
  const { handler, said } = recorder()
  const client = await ask(socket, handler)
  client.parse(Buffer.from('HTTP/1.1 200 \r\nConnection: close\r\n\r\n'))
  for (let piece = 0; piece < 100; piece++) client.parse(Buffer.alloc(64 * 1024))
  await after(20)
  client.end(null)
  await expect.poll(() => said.at(-1)).toBe('end')
  expect(said).toHaveLength(103)
})

test('an error of the connection ends the answer, and octets after it are not read', async () => {
  const { socket } = await connection()
  const { handler, said } = recorder()
  const client = await ask(socket, handler)
  client.parse(Buffer.from('HTTP/1.1 200 \r\nContent-Length: 5\r\n\r\nab'))
  client.end(new RangeError('no'))
  await expect.poll(() => said).toEqual(['start', 'status 200', 'data ab', 'RangeError'])
  expect([client.parse(Buffer.from('cde')), socket.destroyed]).toEqual([false, true])
  // Later events change nothing.
  client.end(new RangeError('again'))
  client.end(null)
  await new Promise((resolve) => setImmediate(resolve))
  client.end(null)
  expect(said).toHaveLength(4)
})

test('an answer that breaks HTTP is an error, and closes the connection', async () => {
  const { socket } = await connection()
  const { handler, said } = recorder()
  const client = await ask(socket, handler)
  expect(client.parse(Buffer.from('HTTP/1.1 200 \r\nTransfer-Encoding: chunked\r\n\r\nx\r\n'))).toBe(true)
  await expect.poll(() => said).toEqual(['start', 'status 200', 'HTTPParserError'])
  expect(socket.destroyed).toBe(true)
  client.expect(handler)
  await expect.poll(() => said.slice(3)).toEqual(['Error'])
})
