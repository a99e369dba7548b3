/** Bodies over TLS, read into memory that is used again: each octet comes once, in its place, and a cut one is cut. */
import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { setImmediate as turn } from 'node:timers/promises'
import { connect, createServer, type TLSSocket } from 'node:tls'
import { RetrievalError } from '@retriever/core'
import { createClient } from '@retriever/fetchers'
import { testCa } from '@retriever/servers'
import { describe, expect, test } from 'vitest'
import { makeRingMemory, RingReader } from '../../packages/fetchers/src/wire/transport/ring-reader.ts'
import { scriptedHttp } from '../protocols/http/support/scripted-http.ts'
import { testCertificate, testKey } from '../servers/src/certificate.ts'

const ring = makeRingMemory().length
const limits = { maxRetries: 0, idleTimeout: 5000 }
const tls = { ca: testCa }

/** No four octets of it are the same as others. */
const all = Buffer.from(Uint32Array.from({ length: 2 ** 21 }, (_, index) => index * 2_654_435_761).buffer)

/** Where the octets differ from those of `all` at the offset; -1: nowhere. */
function firstWrong(octets: Uint8Array, offset: number): number {
  const expected = all.subarray(offset, offset + octets.length)
  return expected.equals(octets) ? -1 : offset + octets.findIndex((octet, index) => octet !== expected[index])
}

async function turns(count: number): Promise<void> {
  for (let done = 0; done < count; done++) await turn()
}

/** Waits until the number has not changed for a while. */
async function settled(number: () => number): Promise<void> {
  for (let before = -1; before !== number() || before === 0; await turns(100)) before = number()
}

describe('a reader of TLS', () => {
  /** Plays a server that sends `all`, so many octets of it in such records, and then ends. */
  async function receiving(
    length: number,
    record: () => number,
    use: (reader: RingReader, socket: TLSSocket, sent: () => number) => Promise<void>,
    memory?: Buffer,
  ): Promise<void> {
    let sent = 0
    const server = createServer({ cert: testCertificate, key: testKey }, async (socket) => {
      socket.on('error', () => {})
      while (sent < length && !socket.destroyed) {
        const piece = all.subarray(sent, Math.min(length, sent + record()))
        sent += piece.length
        await new Promise((resolve) => socket.write(piece, resolve))
      }
      socket.end()
    })
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const reader = new RingReader({ isSecure: true, ...(memory !== undefined && { memory }) })
    const { port } = server.address() as AddressInfo
    const options = { port, host: '127.0.0.1', ca: testCa, onread: reader.onread }
    const socket = connect(options)
    try {
      await once(socket, 'secureConnect')
      reader.attach(socket)
      await use(reader, socket, () => sent)
    } finally {
      socket.destroy()
      await new Promise((done) => server.close(done))
    }
  }

  const context = { deadline: { within: (_: string, operation: () => unknown) => operation() } } as never

  /** Reads to the end, with so many turns of the event loop over each chunk. */
  async function received(reader: RingReader, pause: () => number): Promise<{ length: number; wrong: number[] }> {
    let length = 0
    const wrong: number[] = []
    for (let chunk = await reader.read('body', context); chunk !== null; chunk = await reader.read('body', context)) {
      await turns(pause())
      if (firstWrong(chunk, length) !== -1) wrong.push(length)
      length += chunk.length
    }
    return { length, wrong }
  }

  test('stops before its memory is full, has room for what Node still delivers, and goes on from there', () =>
    receiving(
      all.length,
      () => 2 ** 20,
      async (reader, socket) => {
        await settled(() => socket.bytesRead)
        expect(socket.bytesRead).toBeLessThan(ring + 2 ** 15)
        expect(await received(reader, () => 0)).toEqual({ length: all.length, wrong: [] })
      },
      makeRingMemory(),
    ))

  test.each([-131_073, -131_072, -131_071, -65_536, -1, 0, 1])(
    'memory and %i octets arrive, and the end, before the first is taken',
    async (more) => {
      const length = ring + more
      await receiving(
        length,
        () => 2 ** 20,
        async (reader, socket) => {
          await settled(() => socket.bytesRead)
          expect(await received(reader, () => 1)).toEqual({ length, wrong: [] })
        },
        makeRingMemory(),
      )
    },
  )

  test.each([
    ['records of one octet', 30_000, () => 1],
    ['records of up to 20 octets', 300_000, random(20)],
    ['records of up to 30,000 octets', all.length, random(30_000)],
    ['records as large as can be', all.length, () => 2 ** 14],
  ])('%s: whoever is the quicker one', async (_, length, record) => {
    const pause = random(12)
    for (const memory of [undefined, makeRingMemory()]) {
      await receiving(
        length,
        record,
        async (reader) => expect(await received(reader, pause)).toEqual({ length, wrong: [] }),
        memory,
      )
    }
  })

  test('it moves to larger memory if more comes than there is room for', async () => {
    const reader = new RingReader({ isSecure: true })
    const { buffer, callback } = reader.onread as {
      buffer(): Uint8Array
      callback(length: number, _: Uint8Array): boolean
    }
    const length = 2 ** 22
    let hasPaused = false
    for (let at = 0; at < length; ) {
      // As Node does, whatever the callback returns.
      const room = buffer()
      const count = Math.min(room.length, 2 ** 14, length - at)
      room.set(all.subarray(at, at + count))
      if (!callback(count, room)) hasPaused = true
      at += count
    }
    let taken = 0
    for (let chunk = reader.take(); chunk; chunk = reader.take()) {
      expect(firstWrong(chunk, taken)).toBe(-1)
      taken += chunk.length
    }
    expect({ taken, hasPaused }).toEqual({ taken: length, hasPaused: true })
  })
})

describe('an https body', () => {
  test.each([
    ['fin', 'with a length'],
    ['fin', ''],
    ['cut', ''],
  ] as const)('ended by %s %s while its consumer waits', async (end, length) => {
    const body = all.subarray(0, 2 * ring + 4321)
    const field = length === '' ? 'Connection: close' : `Content-Length: ${body.length}`
    const octets = Buffer.concat([Buffer.from(`HTTP/1.1 200 OK\r\n${field}\r\n\r\n`), body])
    await using server = await scriptedHttp(() => ({ octets, end }), { tls: true })
    await using client = createClient({ limits, tls })
    let received = 0
    let code = ''
    try {
      await (await client.retrieve(server.url)).writeTo(async (chunk) => {
        await turns(20)
        expect(firstWrong(chunk, received)).toBe(-1)
        received += chunk.length
      })
    } catch (error) {
      if (!RetrievalError.is(error)) throw error
      code = error.code
    }
    expect({ received, code }).toEqual({ received: body.length, code: end === 'cut' ? 'partial' : '' })
  })

  test('large and small ones in turn, over one connection', async () => {
    const lengths = [all.length, 10, 2 ** 18 + 1, 1, all.length, 100_000, 0, ring]
    await using server = await scriptedHttp(
      ({ index }) => {
        const body = all.subarray(0, lengths[index])
        return Buffer.concat([Buffer.from(`HTTP/1.1 200 OK\r\nContent-Length: ${body.length}\r\n\r\n`), body])
      },
      { tls: true },
    )
    await using client = createClient({ limits, tls })
    for (const length of lengths) {
      const octets = await (await client.retrieve(server.url)).bytes()
      expect([octets.length, firstWrong(octets, 0)]).toEqual([length, -1])
    }
    expect(server.sockets).toHaveLength(1)
  })

  test('several at once, over as many connections', async () => {
    const length = 300_000
    await using server = await scriptedHttp(
      ({ target }) => {
        const from = Number(target.slice(1))
        const head = `HTTP/1.1 200 OK\r\nContent-Length: ${length}\r\n\r\n`
        return Buffer.concat([Buffer.from(head), all.subarray(from, from + length)])
      },
      { tls: true },
    )
    await using client = createClient({ limits, tls })
    const froms = Array.from({ length: 12 }, (_, index) => index * 1000)
    const wrong = froms.map(async (from) => {
      const octets = await (await client.retrieve(`${server.url}${from}`)).bytes()
      return octets.length === length ? firstWrong(octets, from) : octets.length
    })
    expect(await Promise.all(wrong)).toEqual(froms.map(() => -1))
  })
})

/** A generator of Park and Miller: the same numbers from 1 on each time. */
function random(below: number): () => number {
  let seed = 1
  return () => {
    seed = (seed * 48_271) % 0x7fffffff
    return 1 + (seed % below)
  }
}
