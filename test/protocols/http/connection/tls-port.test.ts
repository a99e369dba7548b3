/** http: where TLS is spoken, and https: where it is not, are told at once and in words. */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import type { RetrievalError } from '@retriever/core'
import { createClient, type RetrievalEvent } from '@retriever/fetchers'
import { testCa } from '@retriever/servers'
import { describe, expect, test } from 'vitest'
import { retries } from '../../../support/events.ts'
import { failure } from '../../../support/failure.ts'
import { ok, reply } from '../support/http-answers.ts'
import { scriptedHttp } from '../support/scripted-http.ts'

/** The error, which nothing was tried again before. */
async function firstError(url: string): Promise<RetrievalError> {
  const events: RetrievalEvent[] = []
  await using client = createClient({ tls: { ca: testCa }, onEvent: (event) => events.push(event) })
  const error = await failure(client.retrieve(url))
  expect(retries(events)).toEqual([])
  return error
}

/** A listener that does this with each connection. */
async function listener(use: (socket: Socket) => void): Promise<AsyncDisposable & { readonly port: number }> {
  const sockets: Socket[] = []
  const server = createServer((socket) => {
    sockets.push(socket.on('error', () => {}))
    use(socket)
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    port: (server.address() as AddressInfo).port,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

describe('http: to a port of TLS', () => {
  test('that closes without a word', async () => {
    await using server = await scriptedHttp(() => ok('x'), { tls: true })
    expect(await firstError(server.url.replace('https:', 'http:'))).toMatchObject({
      code: 'protocol-violation',
      message: expect.stringMatching(/127\.0\.0\.1:\d+ speaks TLS and answers nothing else; write https:/),
    })
    expect(server.asked).toEqual([])
    // That of the handshake is not left open.
    await server.closed()
  })

  test('that answers by an alert', async () => {
    await using server = await listener((socket) =>
      socket.once('data', () => socket.end('\x15\x03\x01\0\x02\x02\x28', 'latin1')),
    )
    expect(await firstError(`http://127.0.0.1:${server.port}/`)).toMatchObject({
      code: 'protocol-violation',
      message: expect.stringContaining('answers in TLS (\\x15\\x03\\x01\\x00\\x02\\x02(); write https:'),
    })
  })

  test.each([
    'The plain HTTP request was sent to HTTPS port',
    "Reason: You're speaking plain HTTP to an SSL-enabled server port.",
    'Client sent an HTTP request to an HTTPS server.',
  ])('that says so on a page: %s', async (page) => {
    await using server = await scriptedHttp(() => reply(400, {}, `<html>${page}</html>`))
    expect(await firstError(server.url)).toMatchObject({
      code: 'http-error',
      status: 400,
      message: expect.stringContaining('expects TLS on this port; write https:'),
    })
  })

  test.each([
    ['at a proxy', '', true],
    ['behind the first octets of an answer', 'HTTP', false],
  ])('is not asked for one, %s', async (_name, octets, isProxy) => {
    let connections = 0
    await using server = await listener((socket) => {
      connections++
      socket.once('data', () => socket.end(octets))
    })
    const url = `http://127.0.0.1:${server.port}/`
    await using client = createClient({ limits: { maxRetries: 0 }, ...(isProxy && { proxy: url }) })
    expect(await failure(client.retrieve(url))).toMatchObject({ phase: 'request' })
    expect(connections).toBe(1)
  })

  test('that closes without a word, and takes no TLS either, is tried again as before', async () => {
    await using server = await listener((socket) => socket.once('data', () => socket.end()))
    await using client = createClient({ limits: { maxRetries: 0 } })
    expect(await failure(client.retrieve(`http://127.0.0.1:${server.port}/`))).toMatchObject({
      code: 'receive-failed',
      phase: 'request',
      transient: true,
    })
  })
})

/** A listener that closes each connection without an answer, and the kinds of what came first on each. */
async function silent() {
  const came: string[] = []
  const server = await listener((socket) =>
    socket.once('data', (octets) => {
      came.push(octets[0] === 0x16 ? 'TLS' : 'HTTP')
      socket.end()
    }),
  )
  return Object.assign(server, { came })
}

test('a retrieval asks once whether TLS is spoken, and no event tells of it', async () => {
  await using server = await silent()
  const events: RetrievalEvent[] = []
  const limits = { maxRetries: 2, maxRetryDelay: 1 }
  await using client = createClient({ limits, onEvent: (event) => events.push(event) })
  await failure(client.retrieve(`http://127.0.0.1:${server.port}/`))
  expect(server.came).toEqual(['HTTP', 'TLS', 'HTTP', 'HTTP'])
  expect(events.filter(({ type }) => type === 'connected')).toHaveLength(3)
  await failure(client.retrieve(`http://127.0.0.1:${server.port}/other`))
  expect(server.came.slice(4)).toEqual(['HTTP', 'TLS', 'HTTP', 'HTTP'])
})

test('a retrieval that is aborted while it asks leaves no connection', async () => {
  const abort = new AbortController()
  const ended: boolean[] = []
  await using server = await listener((socket) =>
    socket.once('data', (octets) => {
      if (octets[0] !== 0x16) return socket.end()
      socket.once('close', () => ended.push(true))
      return abort.abort()
    }),
  )
  await using client = createClient()
  expect(await failure(client.retrieve(`http://127.0.0.1:${server.port}/`, { signal: abort.signal }))).toMatchObject({
    code: 'aborted',
  })
  // The server has seen the end of the earlier connection before it ends this one.
  const later = connect(server.port, '127.0.0.1', () => later.write('later'))
  await once(later.resume(), 'close')
  expect(ended).toEqual([true])
})

test('on port 80 nobody speaks TLS, so no retrieval asks', async () => {
  await using server = await silent()
  const network = { connectTo: { ':80': `127.0.0.1:${server.port}` } }
  await using client = createClient({ network, limits: { maxRetries: 0 } })
  expect(await failure(client.retrieve('http://127.0.0.1/'))).toMatchObject({ code: 'receive-failed' })
  expect(server.came).toEqual(['HTTP'])
})

describe('https: to a port without TLS', () => {
  test.each(['HTTP/1.1 400 Bad Request\r\n\r\n', 'SSH-2.0-OpenSSH_9.2\r\n', '<html>What?</html>', '220 ready\r\n'])(
    'that answers %j',
    async (answer) => {
      await using server = await listener((socket) => socket.once('data', () => socket.end(answer)))
      expect(await firstError(`https://127.0.0.1:${server.port}/`)).toMatchObject({
        code: 'tls-failed',
        phase: 'tls',
        message: expect.stringMatching(/127\.0\.0\.1:\d+ answers without TLS \(.*\); use the scheme without it/),
      })
    },
  )
})
