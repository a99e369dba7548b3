/** The connections that a client keeps for a server. */

import { connect as connectTcp, type Socket } from 'node:net'
import { Duplex } from 'node:stream'
import type { RetrievalError } from '@retriever/core'
import { type Client, createClient, type TlsOptions } from '@retriever/fetchers'
import { httpFetcher } from '@retriever/fetchers/http'
import { lookingFirst } from '@retriever/fetchers/internal'
import { testCa } from '@retriever/servers'
import { expect, test } from 'vitest'
import { failure } from '../../../support/failure.ts'
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

test('a connection that opens while its fetcher is disposed of is closed, and gets no request', async () => {
  await using server = await scriptedHttp(() => `${head}ab`)
  const fetcher = httpFetcher()
  let isOpened: () => void = () => {}
  const opened = new Promise<void>((resolve) => (isOpened = resolve))
  let go: () => void = () => {}
  const connect = async (): Promise<Socket> => {
    const socket = connectTcp(server.port, '127.0.0.1')
    isOpened()
    await new Promise<void>((resolve) => (go = resolve))
    return socket
  }
  await using client = createClient({ fetchers: [fetcher], limits: { maxRetries: 0 }, connect })
  const asked = failure(client.retrieve(server.url))
  await opened
  await fetcher.dispose?.()
  go()
  expect(await asked).toMatchObject({ code: 'aborted', message: expect.stringContaining('The client was closed') })
  await server.closed()
  expect(server.asked).toEqual([])
})

test.each(['ca', 'extraCa'] as const)(
  'case 38, one opened by what a function gives as %s is that of its trust',
  async (name) => {
    await using server = await scriptedHttp(() => `${head}ab`, { tls: true })
    const fetcher = httpFetcher()
    const clientOf = (tls: TlsOptions): Client => createClient({ fetchers: [fetcher], limits: { maxRetries: 0 }, tls })
    const given = { [name]: () => testCa }
    await using trusting = clientOf(given)
    await using same = clientOf({ ...given })
    await using strict = clientOf({})
    for (const client of [trusting, same]) expect(await (await client.retrieve(server.url)).text()).toBe('ab')
    expect(server.sockets).toHaveLength(1)
    expect(await failure(strict.retrieve(server.url))).toMatchObject({ code: 'certificate' })
  },
)

test('case 39, an answer that comes before its request is believed at no moment', async () => {
  for (let moment = 0; moment < 120; moment++) {
    const line = new Line()
    await using client = createClient({ connect: () => line, limits: { maxRetries: 0 } })
    const text = async (): Promise<string> => (await client.retrieve('http://127.0.0.1:8080/')).text()
    expect(await text()).toBe('ab')
    const second = text().catch((error: RetrievalError) => error.code)
    for (let turn = 0; turn < moment; turn++) await null
    if (line.requests === 1 && !line.destroyed) line.push(`${head}no`)
    expect(await second).not.toBe('no')
  }
})

test('a connection has a timer and lets the process end only while it lies idle', async () => {
  const line = new Line()
  const calls: string[] = []
  const note = (name: string) => (value?: number) => void calls.push(`${name} ${value ?? ''}`.trim())
  for (const name of ['ref', 'unref', 'setTimeout']) Object.defineProperty(line, name, { value: note(name) })
  await using client = createClient({ connect: () => line })
  for (const _ of [1, 2]) await (await client.retrieve('http://127.0.0.1:8080/')).text()
  const use = ['ref', 'setTimeout 0', 'unref', 'setTimeout 4000']
  expect(calls).toEqual([...use, ...use])
})

/** A server that answers each request a turn of the event loop later. */
class Line extends Duplex {
  requests = 0

  override _read(): void {}

  override _write(_octets: unknown, _coding: unknown, done: () => void): void {
    this.requests++
    setImmediate(() => this.push(`${head}ab`))
    done()
  }
}
