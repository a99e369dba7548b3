/** undici's client as HTTP/1.1 uses it: the class that undici exports, on a socket that we feed. */

import { once } from 'node:events'
import { readdirSync, readFileSync } from 'node:fs'
import { connect, createServer, type Socket } from 'node:net'
import { setTimeout as after } from 'node:timers/promises'
import { httpHead } from '@retriever/core/internal'
import { Client, type Dispatcher } from 'undici'
import { afterEach, expect, test } from 'vitest'
import { UndiciClient } from '../../../../packages/fetchers/src/protocols/http/connection/undici-client.ts'

const closers: (() => void)[] = []
afterEach(() => {
  for (const close of closers.splice(0)) close()
})

/** A connection, and what its other end has received so far. */
async function connection(): Promise<{ socket: Socket; received: () => string; peer: Socket }> {
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
  let octets = ''
  peer.setEncoding('latin1').on('data', (text: string) => {
    octets += text
  })
  return { socket, peer, received: () => octets }
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

const get = (path: string) => ({
  options: { method: 'GET' as const, path, headers: ['Host', 'example'] },
  octets: httpHead('GET', path, 'example', []),
})

test('the one internal import is the very class that undici exports', async () => {
  const path: string = 'undici/lib/dispatcher/client.js'
  const { default: inner } = await import(path)
  expect(inner).toBe(Client)
  const files = readdirSync(sources, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'))
  const importing = files.filter((file) => /from 'undici\//.test(readFileSync(new URL(file, sources), 'utf8')))
  expect(importing).toEqual(['protocols/http/connection/undici-client.ts'])
})

test.each([
  ['/path', 'GET /path HTTP/1.1'],
  ['http://example/path', 'GET http://example/path HTTP/1.1'],
  ['ftp://user@example/path', 'GET ftp://user@example/path HTTP/1.1'],
  ['/ftp://example/path', 'GET /ftp://example/path HTTP/1.1'],
])('%s is asked for as it is', async (path, line) => {
  const { socket, received } = await connection()
  const client = new UndiciClient(socket, 1000, () => null)
  const { handler } = recorder()
  client.dispatch(get(path), handler)
  await expect.poll(received).toContain('\r\n\r\n')
  expect(received().split('\r\n')[0]).toBe(line)
})

test.each(['ftp://example/a b', 'ftp://example/a\r\nX: y', '/a\r\nX: y'])('%j is never written', async (path) => {
  const { socket, received } = await connection()
  const client = new UndiciClient(socket, 1000, () => null)
  const { handler, said } = recorder()
  client.dispatch(get(path), handler)
  await expect.poll(() => said).toEqual(['InvalidArgumentError'])
  expect(received()).toBe('')
})

test('octets are parsed before parse() returns, and only those', async () => {
  const { socket, peer, received } = await connection()
  const client = new UndiciClient(socket, 1000, () => null)
  const { handler, said } = recorder()
  client.dispatch(get('/'), handler)
  await expect.poll(received).toContain('\r\n\r\n')
  peer.write('HTTP/1.1 500 No\r\n\r\n')
  await after(20)
  expect(said).toEqual(['start'])
  expect(client.parse(Buffer.from('HTTP/1.1 200 \r\nContent-Length: 5\r\n\r\nab'))).toBe(true)
  expect(said).toEqual(['start', 'status 200', 'data ab'])
  client.parse(Buffer.from('cde'))
  expect(said.slice(3)).toEqual(['data cde', 'end'])
})

test('an end that comes while a body is read slowly ends no process (nodejs/undici#5360)', async () => {
  const { socket, received } = await connection()
  const client = new UndiciClient(socket, 1000, () => null)
  const { handler, said } = recorder()
  client.dispatch(get('/'), handler)
  await expect.poll(received).toContain('\r\n\r\n')
  client.parse(Buffer.from('HTTP/1.1 200 \r\nConnection: close\r\n\r\n'))
  for (let piece = 0; piece < 100; piece++) client.parse(Buffer.alloc(64 * 1024))
  await after(20)
  client.end(null)
  await expect.poll(() => said.at(-1)).toBe('end')
  expect(said).toHaveLength(103)
})

test('an objection destroys the connection in place of a request', async () => {
  const { socket, received } = await connection()
  const client = new UndiciClient(socket, 1000, () => new RangeError('no'))
  const { handler, said } = recorder()
  client.dispatch(get('/'), handler)
  await expect.poll(() => said).toEqual(['start', 'RangeError'])
  expect([received(), socket.destroyed, client.isDestroyed]).toEqual(['', true, true])
})

test('a detached client leaves the connection open', async () => {
  const { socket, received } = await connection()
  const client = new UndiciClient(socket, 1000, () => null)
  const { handler } = recorder()
  client.dispatch(get('/'), handler)
  await expect.poll(received).toContain('\r\n\r\n')
  client.detach()
  await after(20)
  expect([socket.destroyed, socket.writable]).toEqual([false, true])
})
