/** Connections of HTTP/2: what a server may send before an answer, and how many streams it allows. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { type Client, type ClientOptions, createClient, type RetrievalEvent } from '@retriever/fetchers'
import { lookingFirst } from '@retriever/fetchers/internal'
import { testCa } from '@retriever/servers'
import { expect, onTestFinished, test, vi } from 'vitest'
import { failure } from '../../../support/failure.ts'
import { endHeaders, endStream, type Frame, headers200, type OnStream, rawHttp2, uint32 } from '../support/raw-http2.ts'

function client(more: ClientOptions = {}): Client {
  return createClient({ tls: { ca: testCa }, limits: { maxRetries: 0, idleTimeout: 5000 }, ...more })
}

const answer = (stream: number): readonly Frame[] => [
  { type: 'headers', flags: endHeaders, stream, payload: headers200() },
  { type: 'data', flags: endStream, stream, payload: 'ok' },
]

/** `:status: 103`, by the name of the eighth entry of the static table (RFC 7541 6.2.2). */
const early = (stream: number): Frame => {
  return { type: 'headers', flags: endHeaders, stream, payload: Buffer.from('\x08\x03103', 'latin1') }
}

test('case 42, ten interim answers are passed over, eleven are not', async () => {
  await using server = await rawHttp2((stream, send, { count }) => {
    send(...Array.from({ length: 10 + count }, () => early(stream)), ...answer(stream))
  })
  await using asking = client()
  expect(await (await asking.retrieve(server.url)).text()).toBe('ok')
  expect(await failure(asking.retrieve(server.url))).toMatchObject({ code: 'protocol-violation', phase: 'request' })
})

test('a server that allows one stream at a time gets a connection for each request that goes on', async () => {
  // SETTINGS_MAX_CONCURRENT_STREAMS (RFC 9113 6.5.2).
  const settings = Buffer.concat([Buffer.of(0, 3), uint32(1)])
  const open: (() => void)[] = []
  const hold: OnStream = (stream, send) => {
    open.push(() => send(...answer(stream)))
    if (open.length === 2) for (const go of open) go()
  }
  let asked = 0
  await using server = await rawHttp2((stream, send, of) => {
    // The first request is answered at once, so that the settings have come before the others.
    if (asked++ === 0) send(...answer(stream))
    else hold(stream, send, of)
  }, settings)
  await using asking = client()
  const text = async (): Promise<string> => (await asking.retrieve(server.url)).text()
  expect(await text()).toBe('ok')
  expect(await Promise.all([text(), text()])).toEqual(['ok', 'ok'])
  expect(server.connections).toHaveLength(2)
})

test('the end of a stream proves that a body without a length is whole', async () => {
  await using server = await rawHttp2((stream, send) => send(...answer(stream)))
  await using asking = client()
  const representation = await asking.retrieve(server.url)
  expect(representation).toMatchObject({ size: null, completeness: 'terminated' })
  expect(await representation.text()).toBe('ok')
})

test('a length beyond 2^53 is not known', async () => {
  await using server = await rawHttp2((stream, send) =>
    send({
      type: 'headers',
      flags: endHeaders,
      stream,
      payload: headers200({ 'content-length': '9007199254740993' }),
    }),
  )
  await using asking = client()
  const representation = await asking.retrieve(server.url)
  expect(representation.size).toBe(null)
  await representation.cancel()
})

test('a request on a free connection is neither written nor told of if its signal is over by then', async () => {
  await using server = await rawHttp2((stream, send) => send(...answer(stream)))
  await using asking = client()
  await (await asking.retrieve(server.url)).text()
  const abort = new AbortController()
  let isOver = false
  const events: RetrievalEvent[] = []
  const asked = asking.retrieve(server.url, {
    onEvent: (event) => events.push(event),
    signal: lookingFirst(abort.signal, () => isOver && abort.abort()),
    use: [
      (request, next) => {
        isOver = true
        return next(request)
      },
    ],
  })
  expect(await failure(asked)).toMatchObject({ code: 'aborted' })
  expect(events.map(({ type }) => type)).not.toContain('sent')
  expect(await (await asking.retrieve(server.url)).text()).toBe('ok')
  expect([server.connections.length, server.streams()]).toEqual([1, 2])
})

test('a connection that ends while HTTP/2 is loaded may be tried again', async () => {
  await using server = await rawHttp2((stream, send) => send(...answer(stream)))
  let socket: Socket | undefined
  const sources = '../../../../packages/fetchers/src/protocols/http/connection'
  vi.doMock(`${sources}/http2.ts`, async (original) => {
    await once((socket as Socket).destroy(), 'close')
    // TLS learns of the end a moment later.
    await new Promise((resolve) => setImmediate(resolve))
    return await original()
  })
  onTestFinished(() => void vi.doUnmock(`${sources}/http2.ts`))
  await using asking = client({ connect: ({ port }) => (socket = connect(port, '127.0.0.1')) })
  const asked = await failure(asking.retrieve(server.url))
  expect(asked).toMatchObject({ code: 'receive-failed', phase: 'request', transient: true })
  expect(asked.message).toContain('The server closed the connection without an answer')
  vi.doUnmock(`${sources}/http2.ts`)
  expect(await (await asking.retrieve(server.url)).text()).toBe('ok')
  expect(server.streams()).toBe(1)
})
