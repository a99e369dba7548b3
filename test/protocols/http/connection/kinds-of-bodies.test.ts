/** Bodies whose end a length tells, and those that undici parses, on one connection of HTTP/1.1. */

import { createClient } from '@retriever/fetchers'
import { expect, onTestFinished, test, vi } from 'vitest'
import { isSendable } from '../../../../packages/fetchers/src/protocols/http/request.ts'
import { failure } from '../../../support/failure.ts'
import { scriptedHttp } from '../support/scripted-http.ts'

const counted = 'HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nab'
const chunked = 'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n2\r\ncd\r\n1\r\ne\r\n0\r\n\r\n'
const empty = 'HTTP/1.1 204 No Content\r\n\r\n'

test('answers of all kinds share a connection, in any order', async () => {
  const answers = [chunked, counted, empty, chunked, chunked, counted, counted, empty, chunked]
  await using server = await scriptedHttp(({ index }) => answers[index] ?? counted)
  await using client = createClient({ limits: { maxRetries: 0 } })
  const bodies: string[] = []
  for (const _ of answers) bodies.push(await (await client.retrieve(server.url)).text())
  expect(bodies).toEqual(['cde', 'ab', '', 'cde', 'cde', 'ab', 'ab', '', 'cde'])
  expect(server.sockets).toHaveLength(1)
})

test('a program that was bundled without undici is told so at the first body that needs it', async () => {
  const module = '../../../../packages/fetchers/src/protocols/http/connection/undici-client.ts'
  vi.doMock(module, () => {
    throw new Error('not bundled')
  })
  onTestFinished(() => void vi.doUnmock(module))
  await using server = await scriptedHttp(({ index }) => (index === 0 ? counted : chunked))
  await using client = createClient({ limits: { maxRetries: 0 } })
  expect(await (await client.retrieve(server.url)).text()).toBe('ab')
  const error = await failure(client.retrieve(server.url))
  expect(error).toMatchObject({ code: 'no-fetcher', phase: 'resolve' })
  expect(error.message).toMatch(/The fetcher for "http" could not be loaded: .* see "Bundling"/)
})

test.each([
  ['Connection: close', 2],
  ['Connection: x, Close', 2],
  ['Proxy-Connection: close', 2],
  ['X-Closing1: close', 1],
  ['X-Connection-Say: close', 1],
  ['Keep-Alive: timeout=1', 2],
  ['Keep-Alive: timeout=2', 2],
  ['Keep-Alive: timeout=1\r\nKeep-Alive: timeout=60', 2],
  ['Keep-Alive: timeout=  60', 1],
  ['Keep-Alive: timeout=60, max=9', 1],
  ['Keep-Alive: max=9', 1],
  ['Connection: keep-alive', 1],
])('after %s, two requests take %d connections', async (field, connections) => {
  for (const answer of [counted, chunked]) {
    const octets = answer.replace('OK\r\n', `OK\r\n${field}\r\n`)
    await using server = await scriptedHttp(() => octets)
    await using client = createClient({ limits: { maxRetries: 0 } })
    for (const _ of [1, 2]) await (await client.retrieve(server.url)).text()
    expect(server.sockets).toHaveLength(connections)
  }
})

test.each([
  ['HTTP/1.0 200 OK\r\nContent-Length: 2\r\n\r\nab', 2],
  ['HTTP/1.0 200 OK\r\nConnection: Keep-Alive\r\nContent-Length: 2\r\n\r\nab', 1],
])('an old server keeps a connection only if it says so: %j', async (octets, connections) => {
  await using server = await scriptedHttp(() => octets)
  await using client = createClient({ limits: { maxRetries: 0 } })
  for (const _ of [1, 2]) await (await client.retrieve(server.url)).text()
  expect(server.sockets).toHaveLength(connections)
})

test.each([chunked, 'HTTP/1.1 200 OK\r\n\r\ncde'])(
  'a body that came together with the end is whole: %j',
  async (octets) => {
    await using server = await scriptedHttp(() => ({ octets, end: 'fin' }))
    await using client = createClient({ limits: { maxRetries: 0 } })
    expect(await (await client.retrieve(server.url)).text()).toBe('cde')
  },
)

test.each([1000, 100_000, 3_000_000])(
  'bodies of %i octets follow each other, although the consumer is slow',
  async (size) => {
    const octets = Buffer.alloc(size, 'abcdefg')
    const head = Buffer.from(`HTTP/1.1 200 OK\r\nContent-Length: ${size}\r\n\r\n`)
    await using server = await scriptedHttp(() => Buffer.concat([head, octets]))
    await using client = createClient({ limits: { maxRetries: 0 } })
    for (const _ of [1, 2, 3]) {
      const representation = await client.retrieve(server.url)
      // The socket reads as much as it has memory for.
      for (let turns = 0; turns < 50; turns++) await new Promise((resolve) => setImmediate(resolve))
      expect(octets.equals(await representation.bytes())).toBe(true)
    }
    expect(server.sockets).toHaveLength(1)
  },
)

test('no request is sent with a line end or a blank that its parts brought along', () => {
  const request = (target: string, value: string) => ({
    method: 'GET' as const,
    target,
    host: 'h',
    fields: [['X', value]] as const,
    octets: `GET ${target} HTTP/1.1\r\nHost: h\r\nConnection: keep-alive\r\nX: ${value}\r\n\r\n`,
    shown: () => '',
  })
  const wrong = ['/a b', '/a\r\nY: z', '/\n', '/\0', '/é€']
  expect(wrong.filter((target) => isSendable(request(target, 'v')))).toEqual([])
  expect(['v\r\nY: z', 'v\n', 'v\0', 'v\r', '€'].filter((value) => isSendable(request('/', value)))).toEqual([])
  expect(isSendable(request('/a?b=\xE9', 'a\tb \xFF'))).toBe(true)
})

test.each([
  ['fin', { message: expect.stringContaining('The connection ended before the whole body had come') }],
  ['reset', { cause: expect.objectContaining({ code: 'ECONNRESET' }) }],
] as const)('a counted body that ends by %s is partial, and says why', async (end, why) => {
  let go: () => void = () => {}
  const after = new Promise<void>((resolve) => (go = resolve))
  const octets = 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nab'
  await using server = await scriptedHttp(() => ({ octets, end, after }))
  await using client = createClient({ limits: { maxRetries: 0 } })
  const reading = (await client.retrieve(server.url)).text()
  go()
  expect(await failure(reading)).toMatchObject(why)
})

test.each([0.5, 1, 100.5, Number.POSITIVE_INFINITY])(
  'limits.maxReply %d lets a body without a length come',
  async (maxReply) => {
    await using server = await scriptedHttp(() => ({ octets: 'HTTP/1.1 200\n\ncde', end: 'fin' }))
    await using client = createClient({ limits: { maxRetries: 0, maxReply } })
    expect(await (await client.retrieve(server.url)).text()).toBe('cde')
  },
)
