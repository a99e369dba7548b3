/** Connections of HTTP/2: what a server may send before an answer, and how many streams it allows. */
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { type Client, type ClientOptions, createClient, type RetrievalEvent } from '@retriever/fetchers'
import { lookingFirst } from '@retriever/fetchers/internal'
import { startHttpServer, testCa } from '@retriever/servers'
import { expect, onTestFinished, test, vi } from 'vitest'
import { idleConnections } from '../../../../packages/fetchers/src/kit/files/open-files.ts'
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

test('a request has the fields of the caller', async () => {
  await using server = await startHttpServer({ tls: true, http2: true })
  await using asking = client()
  const got = await asking.retrieve(`${server.url}pub/hello.txt`, { headers: { 'X-Trace': 'Yes', Accept: 'a/b' } })
  // HTTP/2 has no reason phrase.
  expect(got).toMatchObject({ metadata: { reason: '' } })
  expect(await got.text()).toBe('Hello, world.\n')
  const [request] = server.requests
  const { host } = new URL(server.url)
  expect(request).toMatchObject({ method: 'GET', headers: { host, 'x-trace': 'Yes', accept: 'a/b' } })
})

test('a connection is idle while it has no stream, and only then', async () => {
  let release: () => void = () => {}
  await using server = await rawHttp2((stream, send, { count }) => {
    const [head, data] = answer(stream)
    if (count === 0) send(head as Frame)
    else send(...answer(stream))
    if (count === 0) release = () => send(data as Frame)
  })
  const kept = vi.spyOn(idleConnections, 'keep')
  onTestFinished(() => kept.mockRestore())
  await using asking = client()
  const waiting = await asking.retrieve(server.url)
  const before = kept.mock.calls.length
  expect(await (await asking.retrieve(server.url)).text()).toBe('ok')
  // Its stream closes a few turns after its end.
  for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve))
  expect(kept).toHaveBeenCalledTimes(before)
  release()
  expect(await waiting.text()).toBe('ok')
  await vi.waitFor(() => expect(kept).toHaveBeenCalledTimes(before + 1))
})

test.each([
  ['that has served is made again on another', 1, 'ok'],
  ['that has not is an error', 0, 'receive-failed'],
])('a request that ends with a connection %s', async (_name, served, expected) => {
  await using server = await rawHttp2((stream, send, { connection, count, socket }) => {
    if (connection === 0 && count === served) socket.destroy()
    else send(...answer(stream))
  })
  await using asking = client()
  const text = async (): Promise<string> => (await asking.retrieve(server.url)).text()
  for (let round = 0; round < served; round++) expect(await text()).toBe('ok')
  const outcome = await text().catch(({ code }) => code)
  expect(outcome).toBe(expected)
  expect(server.connections).toHaveLength(served + 1)
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

test.each([
  [65_536, 131_072],
  [100, 8192],
  [Number.POSITIVE_INFINITY, 2 ** 31],
])('with limits.maxReply %d, a header list of %d octets is announced', async (maxReply, octets) => {
  await using server = await rawHttp2((stream, send) => send(...answer(stream)))
  await using asking = client({ limits: { maxReply } })
  expect(await (await asking.retrieve(server.url)).text()).toBe('ok')
  const settings = server.frames.find(({ type, flags }) => type === 'settings' && flags === 0)?.payload as Buffer
  const values = Array.from({ length: settings.length / 6 }, (_, at) => {
    return [settings.readUInt16BE(6 * at), settings.readUInt32BE(6 * at + 2)]
  })
  // ENABLE_PUSH, INITIAL_WINDOW_SIZE and MAX_HEADER_LIST_SIZE (RFC 9113 6.5.2).
  expect(Object.fromEntries(values)).toMatchObject({ 2: 0, 4: 2 ** 21, 6: octets })
  const window = server.frames.find(({ type, stream }) => type === 'window' && stream === 0)?.payload as Buffer
  expect(window.readUInt32BE(0)).toBe(2 ** 23 - 65_535)
  const { flags = 0 } = server.frames.find(({ type }) => type === 'headers') ?? {}
  expect(flags & endStream).toBe(endStream)
})

test('a body that is left resets its stream by CANCEL, and the connection serves on', async () => {
  await using server = await rawHttp2((stream, send, { count }) =>
    send(...answer(stream).slice(0, count === 0 ? 1 : 2)),
  )
  await using asking = client()
  await (await asking.retrieve(server.url)).cancel()
  expect(await (await asking.retrieve(server.url)).text()).toBe('ok')
  const resets = server.frames.filter(({ type }) => type === 'reset')
  expect(resets.map(({ stream, payload }) => [stream, [...(payload as Buffer)]])).toEqual([[1, [0, 0, 0, 8]]])
  expect(server.connections).toHaveLength(1)
})

test('cookies come one by one, and a header section of exactly limits.maxReply is read', async () => {
  const cookies = Buffer.concat([headers200({ 'set-cookie': 'a=1' }), headers200({ 'set-cookie': 'b=2' }).subarray(1)])
  await using server = await rawHttp2((stream, send, { count }) => {
    const payload = count < 2 ? cookies : headers200({ 'x-y': 'z' })
    send({ type: 'headers', flags: endHeaders | endStream, stream, payload })
  })
  const size = 2 * 'set-cookiea=1'.length
  await using exact = client({ limits: { maxRetries: 0, maxReply: size } })
  const { metadata } = await exact.retrieve(server.url)
  expect(metadata).toMatchObject({
    status: 200,
    reason: '',
    headers: {},
    fields: [
      ['set-cookie', 'a=1'],
      ['set-cookie', 'b=2'],
    ],
  })
  await using less = client({ limits: { maxRetries: 0, maxReply: size - 1 } })
  expect(await failure(less.retrieve(server.url))).toMatchObject({ code: 'limit-exceeded', phase: 'request' })
})
