import type { Socket } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import * as zlib from 'node:zlib'
import {
  type Client,
  createClient,
  type Fetcher,
  type Limits,
  type RetrievalEvent,
  type RetrieveOptions,
} from '@retriever/fetchers'
import { httpFetcher } from '@retriever/fetchers/http'
import { afterEach, describe, expect, test, vi } from 'vitest'
import { sourceOf } from '../../../../packages/fetchers/src/kit/byte-source.ts'
import { failure } from '../../../support/failure.ts'
import { httpMetadata } from '../../../support/metadata.ts'
import { isFull } from '../../../support/runs.ts'
import { type ScriptedHttp, scriptedHttp } from '../support/scripted-http.ts'

const opened: { server?: ScriptedHttp; client?: Client }[] = []
afterEach(async () => {
  vi.restoreAllMocks()
  for (const { server, client } of opened.splice(0)) {
    await client?.close()
    await server?.[Symbol.asyncDispose]()
  }
})

interface Scene {
  readonly server: ScriptedHttp
  readonly url: string
  readonly events: RetrievalEvent[]
  readonly client: Client
}

/** A server whose every answer is what this writes. */
async function scene(answer: (socket: Socket) => unknown, limits: Partial<Limits> = {}): Promise<Scene> {
  const events: RetrievalEvent[] = []
  const server = await scriptedHttp(({ socket }) => void answer(socket))
  const client = createClient({ limits, onEvent: (event) => events.push(event) })
  opened.push({ server, client })
  return { server, url: server.url, events, client }
}

type Framing = 'length' | 'chunked' | 'close' | 'octetwise'
const framings: readonly Framing[] = ['length', 'chunked', 'close', 'octetwise']

/** An answer with this body, which its framing gives whole. */
function answering(coding: string, body: Uint8Array, framing: Framing = 'length', status = '200 OK') {
  return (socket: Socket): void => {
    const fields = coding
      .split('\n')
      .map((line) => `Content-Encoding: ${line}\r\n`)
      .join('')
    const head = `HTTP/1.1 ${status}\r\nContent-Type: text/plain\r\n${fields}`
    if (framing === 'close') {
      socket.write(`${head}Connection: close\r\n\r\n`)
      socket.end(body)
    } else if (framing === 'length') {
      socket.write(`${head}Content-Length: ${body.length}\r\n\r\n`)
      socket.write(body)
    } else {
      const parts = framing === 'chunked' ? [body] : [...body].map((octet) => Uint8Array.of(octet))
      socket.write(`${head}Transfer-Encoding: chunked\r\n\r\n`)
      for (const part of parts.filter(({ length }) => length > 0)) socket.write(chunk(part))
      socket.write('0\r\n\r\n')
    }
  }
}

function chunk(octets: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from(`${octets.length.toString(16)}\r\n`), octets, Buffer.from('\r\n')])
}

/** Octets that no coding makes much smaller, and some that all do. */
const plain = Buffer.concat([
  Buffer.from(Array.from({ length: 300 }, (_, n) => (n * n * 7919) >> 5)),
  Buffer.from('and again '.repeat(30)),
])
const gz = zlib.gzipSync(plain)

interface Zstd {
  readonly zstdCompressSync?: (octets: Uint8Array, options?: object) => Buffer
}
const { zstdCompressSync } = zlib as Zstd
const zstd: [string, Uint8Array][] = zstdCompressSync
  ? [
      ['zstd', zstdCompressSync(plain)],
      ['zstd', Buffer.concat([zstdCompressSync(plain.subarray(0, 9)), zstdCompressSync(plain.subarray(9))])],
    ]
  : []

/** Content-Encoding (a line for each field) and the body that says `plain` in it. */
const codings: readonly [string, Uint8Array][] = [
  ['gzip', gz],
  ['x-gzip', gz],
  ['GZip', gz],
  ['deflate', zlib.deflateSync(plain)],
  ['deflate', zlib.deflateSync(plain, { level: 0 })],
  ['deflate', zlib.deflateRawSync(plain)],
  ['deflate', zlib.deflateRawSync(plain, { level: 0 })],
  ['br', zlib.brotliCompressSync(plain)],
  ['identity, gzip', gz],
  [', , gzip ,\t,', gz],
  ['deflate, gzip', zlib.gzipSync(zlib.deflateSync(plain))],
  ['deflate\nbr\ngzip', zlib.gzipSync(zlib.brotliCompressSync(zlib.deflateSync(plain)))],
  ['gzip', Buffer.concat([zlib.gzipSync(plain.subarray(0, 9)), zlib.gzipSync(''), zlib.gzipSync(plain.subarray(9))])],
  ['gzip', Buffer.concat([gz, Buffer.alloc(1)])],
  ['gzip', Buffer.concat([gz, Buffer.alloc(1000)])],
  ...zstd,
]

describe('what is asked for', () => {
  const all = `gzip, deflate, br${zstdCompressSync ? ', zstd' : ''}`
  test.each<[RetrieveOptions, string]>([
    [{}, 'identity'],
    [{ http: { compressed: false } }, 'identity'],
    [{ http: { compressed: true } }, all],
    [{ http: { compressed: true, split: 1 } }, all],
    [{ http: { compressed: true, split: 4 } }, 'identity'],
    [{ http: { compressed: true }, range: [0, null] }, 'identity'],
    [{ http: { compressed: true }, resumeFrom: 7 }, 'identity'],
    [{ http: { compressed: true }, headers: { 'accept-encoding': 'br' } }, 'br'],
  ])('%j: %s', async (options, expected) => {
    const { client, url, server } = await scene(answering('identity', plain))
    await client.retrieve(url, options).then((representation) => representation.cancel())
    expect(server.heads[0]?.match(/^accept-encoding: .*(?=\r$)/gim)).toEqual([
      expect.stringMatching(new RegExp(`^accept-encoding: ${expected}$`, 'i')),
    ])
  })
})

describe('a body in the coding', () => {
  test.each(codings.flatMap(([coding, body]) => framings.map((framing) => ({ coding, body, framing }))))(
    '$coding comes decoded ($framing, $body.length octets)',
    async ({ coding, body, framing }) => {
      const { client, url, server } = await scene(answering(coding, body, framing))
      const representation = await client.retrieve(url, { http: { compressed: true } })
      const names = coding.toLowerCase().match(/gzip|deflate|br|zstd/g)
      expect(representation).toMatchObject({
        size: null,
        completeness: { length: 'verified', chunked: 'terminated', octetwise: 'terminated', close: 'eof-only' }[
          framing
        ],
        metadata: { decoded: names?.reverse() },
      })
      expect(Buffer.from(await representation.bytes()).equals(plain)).toBe(true)
      // Read to its end, and of use again.
      await client.retrieve(url, { http: { compressed: true } }).then((again) => again.text())
      expect(server.sockets).toHaveLength(framing === 'close' ? 2 : 1)
    },
  )

  test('chunks are the consumer’s own', async () => {
    const large = Buffer.alloc(300_000, plain)
    const { client, url } = await scene(answering('gzip', zlib.gzipSync(large)))
    const kept: Uint8Array[] = []
    for await (const one of await client.retrieve(url, { http: { compressed: true } })) {
      kept.push(structuredClone(one, { transfer: [one.buffer as ArrayBuffer] }))
    }
    expect(Buffer.concat(kept).equals(large)).toBe(true)
  })

  test('an error’s body, where that is wanted, is decoded', async () => {
    const { client, url } = await scene(answering('gzip', gz, 'length', '404 Not Found'))
    const representation = await client.retrieve(url, { http: { compressed: true, fail: false } })
    expect(Buffer.from(await representation.bytes()).equals(plain)).toBe(true)
  })

  test('is a Response without the fields that were true of the coded one', async () => {
    const { client, url } = await scene(answering('gzip', zlib.gzipSync('hello')))
    const response = await client.fetch(url)
    expect([...response.headers.keys()]).toEqual(['content-type'])
    expect(await response.text()).toBe('hello')
  })
})

describe('a coding that was not asked for stays, and a remark says so', () => {
  test.each<[string, RetrieveOptions, string]>([
    ['gzip', {}, 'gzip'],
    ['x-gzip\nbr', {}, 'x-gzip, br'],
    ['gzip', { http: { compressed: true }, range: [0, null] }, 'gzip'],
  ])('%s, %j', async (coding, options, named) => {
    const { client, url, events } = await scene(answering(coding, gz))
    const representation = await client.retrieve(url, options)
    expect(representation.size).toBe(gz.length)
    expect(Buffer.from(await representation.bytes()).equals(gz)).toBe(true)
    const remarks = events.filter(({ type }) => type === 'remark')
    expect(remarks).toEqual([expect.objectContaining({ message: expect.stringContaining(`(${named})`) })])
  })

  test('what it is called is harmless to show', async () => {
    const { client, url, events } = await scene(answering('a\x9b2J', gz))
    await client.retrieve(url, { http: { compressed: true } }).catch(() => {})
    await client.retrieve(url).then((representation) => representation.cancel())
    expect(JSON.stringify(events.filter(({ type }) => type !== 'received'))).not.toMatch(/\x9b/)
  })
})

describe('nothing is decoded where there is nothing', () => {
  test.each<[string, string, number | null, RetrieveOptions]>([
    ['HEAD', '200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 4711', null, { head: true }],
    ['HEAD, of what stays', '200 OK\r\nContent-Encoding: foo\r\nContent-Length: 4711', 4711, { head: true }],
    ['204', '204 No Content\r\nContent-Encoding: foo', 0, {}],
    ['205', '205 Reset Content\r\nContent-Encoding: foo\r\nContent-Length: 0', 0, {}],
    ['Content-Length: 0', '200 OK\r\nContent-Encoding: foo\r\nContent-Length: 0', 0, {}],
    ['a last chunk alone', '200 OK\r\nContent-Encoding: br, gzip\r\nTransfer-Encoding: chunked\r\n\r\n0', null, {}],
  ])('%s', async (_, answer, size, options) => {
    const { client, url, events } = await scene((socket) => socket.write(`HTTP/1.1 ${answer}\r\n\r\n`))
    const representation = await client.retrieve(url, { http: { compressed: true }, ...options })
    expect(representation.size).toBe(size)
    expect(await representation.text()).toBe('')
    expect(events.map(({ type }) => type)).not.toContain('remark')
  })
})

describe('case 71, R6: what is cut is partial', () => {
  const [zstdCoding] = zstd
  test.each([
    ['gzip', gz],
    ['deflate', zlib.deflateSync(plain)],
    ['deflate', zlib.deflateRawSync(plain)],
    ['br', zlib.brotliCompressSync(plain)],
    ...(zstdCoding ? [zstdCoding] : []),
    ['deflate, gzip', zlib.gzipSync(zlib.deflateSync(plain).subarray(0, -1))],
    ['gzip, deflate', zlib.deflateSync(gz.subarray(0, -1))],
  ] as [string, Uint8Array][])('%s, wherever its framing ends well before it', async (coding, body) => {
    let cut = 1
    const { client, url } = await scene((socket) => answering(coding, body.subarray(0, cut), 'chunked')(socket))
    const isCutWithin = coding.includes(',')
    const cuts = isCutWithin ? [body.length] : [1, 2, 5, 9, 10, 11, 30, ...tail(body.length)]
    for (cut of cuts) {
      const error = await failure(client.retrieve(url, { http: { compressed: true } }).then((answer) => answer.bytes()))
      expect({ cut, code: error.code, phase: error.phase }).toEqual({ cut, code: 'partial', phase: 'body' })
    }
  })

  function tail(length: number): number[] {
    return Array.from({ length: 12 }, (_, n) => length - 12 + n)
  }

  test('a second member', async () => {
    const body = Buffer.concat([gz, gz.subarray(0, 1)])
    const { client, url } = await scene(answering('gzip', body, 'octetwise'))
    const error = await failure(client.retrieve(url, { http: { compressed: true } }).then((answer) => answer.bytes()))
    expect(error.code).toBe('partial')
  })
})

function changed(octets: Uint8Array, at: number): Buffer {
  const copy = Buffer.from(octets)
  const index = at < 0 ? copy.length + at : at
  copy[index] = (copy[index] ?? 0) ^ 1
  return copy
}
const withTail = (octets: Uint8Array, tail: string | Uint8Array): Buffer =>
  Buffer.concat([octets, typeof tail === 'string' ? Buffer.from(tail) : tail])

describe('case 71, R6: what is damaged is a violation, at once', () => {
  const deflated = zlib.deflateSync(plain)
  const brotli = zlib.brotliCompressSync(plain)
  const damaged: readonly [string, string, Uint8Array][] = [
    ['no gzip', 'gzip', Buffer.from('<html>hello')],
    ['no gzip behind the first octets', 'gzip', changed(gz, 2)],
    ['a CRC', 'gzip', changed(gz, -8)],
    ['a length', 'gzip', changed(gz, -4)],
    ['a line end behind it', 'gzip', withTail(gz, '\n')],
    ['a text behind it', 'gzip', withTail(gz, 'garbage')],
    ['a text behind padding', 'gzip', withTail(gz, Buffer.from('\0\0\0garbage'))],
    ['a member behind padding', 'gzip', withTail(gz, withTail(Buffer.alloc(9), gz))],
    ['a checksum', 'deflate', changed(deflated, -1)],
    ['a text behind it', 'deflate', withTail(deflated, 'garbage')],
    ['a zero behind it', 'deflate', withTail(deflated, '\0')],
    ['a text behind it, raw', 'deflate', withTail(zlib.deflateRawSync(plain), 'garbage')],
    ['a dictionary', 'deflate', zlib.deflateSync(plain, { dictionary: Buffer.from('again') })],
    ['no brotli', 'br', Buffer.alloc(20, 0xff)],
    ['a text behind it', 'br', withTail(brotli, 'garbage')],
    ['another behind it', 'br', withTail(brotli, brotli)],
    ['a tail within', 'gzip, br', zlib.brotliCompressSync(withTail(gz, '\n'))],
    ...zstd.flatMap(([coding, body]): [string, string, Uint8Array][] => [
      ['a text behind it', coding, withTail(body, 'garbage')],
      ['zeros behind it', coding, withTail(body, Buffer.alloc(20))],
    ]),
    ...(zstdCompressSync
      ? [['a window of 16 MiB (RFC 9659)', 'zstd', zstdWithWindow(24)] as [string, string, Uint8Array]]
      : []),
  ]
  test.each(damaged.flatMap(([what, coding, body]) => framings.map((framing) => ({ what, coding, body, framing }))))(
    '$what, $coding, $framing',
    async ({ coding, body, framing }) => {
      const { client, url, server } = await scene(answering(coding, body, framing))
      const representation = await client.retrieve(url, { http: { compressed: true } })
      const error = await failure(representation.bytes())
      expect(error).toMatchObject({ code: 'protocol-violation', phase: 'body' })
      expect(error.message).toContain('compressed')
      // Where the framing had ended well its connection may serve on.
      await client.close()
      await server.closed()
    },
  )

  /** For a content larger than any window, so that the frame header has to name one. */
  function zstdWithWindow(log: number): Buffer {
    const { ZSTD_c_windowLog: windowLog } = zlib.constants as unknown as Record<string, number>
    return zstdCompressSync?.(Buffer.alloc(2 ** 25), { params: { [String(windowLog)]: log } }) ?? Buffer.alloc(0)
  }
})

describe('case 41, a chain of codings that is too long is refused, before the body is read', () => {
  test.each([['gzip, gzip, gzip, gzip'], ['gzip\ngzip\ngzip\ngzip\ngzip\ngzip'], ['none, none, none, none']])(
    '%j',
    async (coding) => {
      const { client, url, server } = await scene((socket) => {
        const fields = coding.replaceAll('\n', '\r\nContent-Encoding: ')
        socket.write(`HTTP/1.1 200 OK\r\nContent-Encoding: ${fields}\r\n\r\n`)
        endlessly(socket, Buffer.alloc(65_536))
      })
      const error = await failure(client.retrieve(url, { http: { compressed: true } }))
      expect(error).toMatchObject({ code: 'limit-exceeded', phase: 'request' })
      await server.closed()
    },
  )
})

describe('case 41, a coding that is not known stays, and a remark says so', () => {
  const names = ['aws-chunked', 'none', 'binary', 'utf-8', 'compress', 'x-compress', '"gzip"', 'gzip;q=1', 'gzip\nfoo']
  // Names that every JavaScript object has (threats.md case 41).
  const inherited = ['constructor', '__proto__', 'toString', 'hasOwnProperty', 'aws-chunked, gzip']
  test.each([...names, ...inherited].flatMap((coding) => [true, false].map((compressed) => ({ coding, compressed }))))(
    '$coding, compressed: $compressed',
    async ({ coding, compressed }) => {
      const { client, url, events } = await scene(answering(coding, gz))
      const representation = await client.retrieve(url, { http: { compressed } })
      expect(representation.size).toBe(gz.length)
      expect(httpMetadata(representation).decoded).toBeUndefined()
      expect(Buffer.from(await representation.bytes()).equals(gz)).toBe(true)
      const remarks = events.filter(({ type }) => type === 'remark')
      const named = coding.toLowerCase().replace('\n', ', ')
      const message = `The body stays in its content coding, because that is unknown (${named}).`
      expect(remarks).toEqual([expect.objectContaining({ message })])
    },
  )

  test('and in a Response, which says so by its field', async () => {
    const { client, url } = await scene(answering('aws-chunked', Buffer.from('hello')))
    const response = await client.fetch(url)
    expect(response.headers.get('content-encoding')).toBe('aws-chunked')
    expect(await response.text()).toBe('hello')
  })
})

/** Writes for ever, as fast as the peer reads. */
function endlessly(socket: Socket, octets: Uint8Array): void {
  const go = (): void => {
    while (socket.writable && socket.write(octets));
    if (socket.writable) socket.once('drain', go)
  }
  go()
}

const gzipHead = zlib.gzipSync('').subarray(0, 10)
/** Deflate blocks that can be repeated for ever: they refer to nothing before them. */
const blocks = (octets: Uint8Array): Buffer =>
  zlib.deflateRawSync(octets, { finishFlush: zlib.constants.Z_FULL_FLUSH, level: 9 })

describe('case 40, a bomb', () => {
  const zeros = blocks(Buffer.alloc(2 ** 20))
  const limit = 64 * 2 ** 20

  test.each([
    ['gzip', zeros],
    // 200:1, twice.
    ['gzip, gzip', blocks(Buffer.concat(Array.from({ length: 40 }, () => blocks(Buffer.alloc(2 ** 18)))))],
  ])('in %s without end is refused, in little memory', async (coding, octets) => {
    const inner = coding === 'gzip' ? Buffer.alloc(0) : zlib.deflateRawSync(gzipHead, { finishFlush: 3 })
    const { client, url, server } = await scene((socket) => {
      socket.write(`HTTP/1.1 200 OK\r\nContent-Encoding: ${coding}\r\n\r\n`)
      socket.write(Buffer.concat([gzipHead, inner]))
      endlessly(socket, octets)
    })
    let received = 0
    let most = 0
    const before = process.memoryUsage().arrayBuffers
    const reading = async (): Promise<void> => {
      await (await client.retrieve(url, { http: { compressed: true } })).writeTo((one) => {
        received += one.length
        most = Math.max(most, process.memoryUsage().arrayBuffers - before)
      })
    }
    expect(await failure(reading())).toMatchObject({ code: 'limit-exceeded', phase: 'body' })
    expect(received).toBeLessThanOrEqual(limit)
    expect(received).toBeGreaterThan(limit - 2 ** 20)
    // Some turns of the garbage collector; ten gibibytes would be 40 times that.
    expect(most).toBeLessThan(256 * 2 ** 20)
    await server.closed()
  })

  test.runIf(isFull)('within, that nothing comes of: padding of gibibytes', async () => {
    const { client, url } = await scene((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Encoding: gzip, gzip\r\n\r\n')
      socket.write(Buffer.concat([gzipHead, zlib.deflateRawSync(gz, { finishFlush: 3 })]))
      endlessly(socket, zeros)
    })
    const error = await failure(client.retrieve(url, { http: { compressed: true } }).then((answer) => answer.bytes()))
    expect(error).toMatchObject({ code: 'limit-exceeded' })
    expect(error.message).toContain('250')
  })

  test('is none at 200:1, nor below 64 MiB', async () => {
    const dense = blocks(
      Buffer.concat([Buffer.from(Array.from({ length: 900 }, (_, n) => (n * n) >> 3)), Buffer.alloc(2 ** 18)]),
    )
    expect(2 ** 18 / dense.length).toBeGreaterThan(100)
    const last = zlib.deflateRawSync('')
    const parts = Array.from({ length: 300 }, () => dense)
    const small = zlib.deflateRawSync(Buffer.alloc(limit))
    for (const body of [Buffer.concat([...parts, last]), small]) {
      const { client, url } = await scene(answering('deflate', body))
      let received = 0
      await (await client.retrieve(url, { http: { compressed: true } })).writeTo(({ length }) => {
        received += length
      })
      expect(received).toBe(body === small ? limit : 300 * (2 ** 18 + 900))
    }
  })
})

describe('maxSize', () => {
  test('is of the decoded octets', async () => {
    const stored = zlib.gzipSync(plain, { level: 0 })
    for (const [maxSize, body, expected] of [
      [plain.length, gz, 'whole'],
      [plain.length, stored, 'whole'],
      [plain.length - 1, gz, 'limit-exceeded'],
    ] as const) {
      const { client, url } = await scene(answering('gzip', body), { maxSize })
      const reading = client.retrieve(url, { http: { compressed: true } }).then((answer) => answer.bytes())
      const outcome = await reading.then(
        () => 'whole',
        ({ code }) => code,
      )
      expect(outcome).toBe(expected)
    }
  })

  test.each([
    ['padding', Buffer.alloc(4096)],
    ['empty members', zlib.gzipSync('')],
  ])('holds for %s without end', async (_, octets) => {
    const { client, url, server } = await scene(
      (socket) => {
        socket.write('HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n')
        socket.write(gz)
        endlessly(socket, Buffer.concat(Array.from({ length: 100 }, () => octets)))
      },
      { maxSize: 100_000 },
    )
    const error = await failure(client.retrieve(url, { http: { compressed: true } }).then((answer) => answer.bytes()))
    expect(error.code).toBe('limit-exceeded')
    await server.closed()
  })
})

describe('a consumer', () => {
  /** A body without end, with what of it the server could get rid of, and the decoders that it went through. */
  async function endless() {
    const writes = vi.spyOn(zlib.Gunzip.prototype, 'write')
    const octets = blocks(Buffer.from(Array.from({ length: 60_000 }, (_, n) => (n * n * 7919) >> 7)))
    const theScene = await scene((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n')
      socket.write(gzipHead)
      endlessly(socket, octets)
    })
    const controller = new AbortController()
    const representation = await theScene.client.retrieve(theScene.url, {
      http: { compressed: true },
      signal: controller.signal,
    })
    const decoders = (): Set<zlib.Gunzip> => new Set(writes.mock.contexts as zlib.Gunzip[])
    return { ...theScene, controller, representation, decoders }
  }

  async function expectFreed({ server, decoders }: Awaited<ReturnType<typeof endless>>, count = 1): Promise<void> {
    await server.closed()
    expect([...decoders()].map(({ destroyed }) => destroyed)).toEqual(Array.from({ length: count }, () => true))
  }

  test('that rests holds the server back', async () => {
    const { representation, server } = await endless()
    for await (const one of representation) {
      expect(one.length).toBeGreaterThan(0)
      for (let count = 0; count < 3000; count++) await turn()
      break
    }
    // The buffers of two sockets; what has no backpressure takes hundreds of MiB meanwhile.
    expect(server.sockets[0]?.bytesWritten).toBeLessThan(16 * 2 ** 20)
  })

  test('that leaves the loop frees all', async () => {
    const body = await endless()
    for await (const _ of body.representation) break
    await expectFreed(body)
  })

  test('that cancels while it rests frees all', async () => {
    const body = await endless()
    const reader = body.representation.body.getReader()
    await reader.read()
    await body.representation.cancel()
    await expectFreed(body)
  })

  test('that aborts while it rests frees all', async () => {
    const body = await endless()
    const reader = body.representation[Symbol.asyncIterator]()
    await reader.next()
    body.controller.abort()
    await expectFreed(body)
    expect(await failure(reader.next())).toMatchObject({ code: 'aborted' })
  })

  test('that aborts while it reads is told so', async () => {
    const body = await endless()
    const reading = body.representation.writeTo(({ length }) => void (length > 0 && body.controller.abort()))
    expect(await failure(reading)).toMatchObject({ code: 'aborted' })
    await expectFreed(body)
  })

  test('that returns what it has not begun frees all', async () => {
    const inner = httpFetcher()
    const fetcher: Fetcher<'http'> = {
      mechanism: 'http',
      async retrieve(plan, context) {
        const outcome = await inner.retrieve(plan, context)
        if (outcome.outcome === 'retrieved') await sourceOf(outcome.body).cancel()
        return outcome
      },
    }
    const { url, server } = await scene((socket) => {
      socket.write('HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\n\r\n')
      endlessly(socket, gz)
    })
    const client = createClient({ fetchers: [fetcher] })
    opened.push({ client })
    expect(await (await client.retrieve(url, { http: { compressed: true } })).text()).toBe('')
    await server.closed()
  })

  test('that never reads frees all', async () => {
    const body = await endless()
    await body.representation.cancel()
    await expectFreed(body, 0)
  })
})
