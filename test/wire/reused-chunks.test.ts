import { once } from 'node:events'
import { mkdtemp, readFile, rm } from 'node:fs/promises'
import { connect, createServer, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setImmediate as turn } from 'node:timers/promises'
import { createClient, type Representation } from '@retriever/fetchers'
import { bigOctet, startFtpServer, startServers } from '@retriever/servers'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { sourceOf } from '../../packages/fetchers/src/kit/byte-source.ts'
import { makeRingMemory, RingReader } from '../../packages/fetchers/src/wire/transport/ring-reader.ts'
import { trial } from '../protocols/ftp/support/ftp-trial.ts'
import { chunks, fakeHttp, retrieved } from '../support/fake-fetcher.ts'

/** Three times round the memory of an intake, and some more. */
const size = 7 * 2 ** 20 + 12_345

let folder: string
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'retriever-'))
})
afterEach(() => rm(folder, { recursive: true }))

/** The octets of /big, more than any test reads. */
const big = Buffer.alloc(
  2 ** 25,
  Uint8Array.from({ length: 251 }, (_, index) => bigOctet(index)),
)

/** Where the octets of /big are not what they must be; -1: nowhere. */
function firstWrong(octets: Uint8Array, offset = 0): number {
  if (big.compare(octets, 0, octets.length, offset, offset + octets.length) === 0) return -1
  return octets.findIndex((octet, index) => octet !== big[offset + index])
}

describe('a large FTP body, through memory that is used again', () => {
  test('writeTo, with a writer that takes its time with each chunk', () =>
    trial({ bigSize: size }, async ({ retrieve }) => {
      const representation = await retrieve('big')
      let received = 0
      const wrong: number[] = []
      await representation.writeTo(async (chunk) => {
        // The socket fills what it may meanwhile; a chunk must not change meanwhile.
        for (let count = 0; count < 5; count++) await turn()
        if (firstWrong(chunk, received) !== -1) wrong.push(received)
        received += chunk.length
      })
      expect({ received, wrong }).toEqual({ received: size, wrong: [] })
    }))

  test('saveTo', () =>
    trial({ bigSize: size }, async ({ retrieve }) => {
      await (await retrieve('big')).saveTo(join(folder, 'big'))
      const saved = await readFile(join(folder, 'big'))
      expect([saved.length, firstWrong(saved)]).toEqual([size, -1])
    }))

  test('chunks that are kept are the consumer’s own', () =>
    trial({ bigSize: size }, async ({ retrieve }) => {
      const kept: Uint8Array[] = []
      for await (const chunk of await retrieve('big')) kept.push(chunk)
      const all = Buffer.concat(kept)
      expect([all.length, firstWrong(all)]).toEqual([size, -1])
    }))

  test('one body after the other over one session', () =>
    trial({ bigSize: size }, async ({ retrieve, events }) => {
      for (let count = 0; count < 3; count++) {
        const octets = await (await retrieve('big')).bytes()
        expect([octets.length, firstWrong(octets)]).toEqual([size, -1])
      }
      expect(events.filter(({ type }) => type === 'connected')).toHaveLength(4)
    }))

  test('a writer that throws ends it, and its error passes through', async () => {
    await using server = await startFtpServer({ bigSize: size })
    await using client = createClient()
    const representation = await client.retrieve(`${server.url}big`)
    const full = new Error('full')
    await expect(
      representation.writeTo(() => {
        throw full
      }),
    ).rejects.toBe(full)
    await server.waitForConnections(0)
  })
})

test.each(['http', 'ftp'] as const)(
  'writeTo and %s: chunks are handed over where they were received',
  async (scheme) => {
    await using servers = await startServers({ bigSize: size })
    await using client = createClient()
    const memories = new Set<ArrayBufferLike>()
    let chunkCount = 0
    const representation = await client.retrieve(`${servers[scheme].url}big`)
    await representation.writeTo((chunk) => {
      memories.add(chunk.buffer)
      chunkCount++
    })
    // The first read may still go to the smaller memory that a connection begins with.
    expect(memories.size).toBeLessThanOrEqual(2)
    expect(chunkCount).toBeGreaterThan(2)
  },
)

describe('writeTo', () => {
  const get = (reused: boolean): Promise<Representation> => {
    const source = sourceOf(chunks('one', 'two', 'three'))
    const body = { reusesChunks: reused, read: () => source.read(), cancel: () => source.cancel() }
    const answer = retrieved(body)
    return createClient({ fetchers: [fakeHttp(() => answer)] }).retrieve('http://h/')
  }

  test.each([true, false])('each chunk in turn, one write at a time (reused: %s)', async (reused) => {
    const written: string[] = []
    let busy = 0
    await (await get(reused)).writeTo(async (chunk) => {
      expect(++busy).toBe(1)
      await turn()
      written.push(Buffer.from(chunk).toString())
      busy--
    })
    expect(written).toEqual(['one', 'two', 'three'])
  })

  test.each([true, false])('the last write counts, too (reused: %s)', async (reused) => {
    let count = 0
    const failing = (await get(reused)).writeTo(async () => {
      await turn()
      if (++count === 3) throw new Error('the disk is full')
    })
    await expect(failing).rejects.toThrow('the disk is full')
  })
})

describe('an intake', () => {
  /**
   * Plays a server that sends the octets of /big in such pieces, waiting so many turns of the event loop before each.
   */
  async function receiving<T>(
    pieces: readonly (readonly [length: number, turns: number])[],
    use: (intake: RingReader, socket: Socket) => Promise<T>,
  ): Promise<T> {
    const server = createServer(async (socket) => {
      // Its client may leave in the middle.
      socket.on('error', () => {})
      let offset = 0
      for (const [length, turns] of pieces) {
        for (let count = 0; count < turns; count++) await turn()
        if (!socket.write(bigPiece(offset, length))) await once(socket, 'drain')
        offset += length
      }
      socket.end()
    })
    await new Promise<void>((done) => server.listen(0, '127.0.0.1', done))
    const { port } = server.address() as { port: number }
    const intake = new RingReader({ memory: makeRingMemory() })
    const socket = connect({ port, host: '127.0.0.1', onread: intake.onread })
    await once(socket, 'connect')
    intake.attach(socket)
    try {
      return await use(intake, socket)
    } finally {
      socket.destroy()
      await new Promise((done) => server.close(done))
    }
  }

  const context = { deadline: { within: (_: string, operation: () => unknown) => operation() } } as never

  test('reads no further than its memory, and goes on from there', () =>
    receiving(
      Array.from({ length: 16 }, () => [2 ** 20, 0] as const),
      async (intake, socket) => {
        for (let before = -1; before !== socket.bytesRead || before === 0; ) {
          before = socket.bytesRead
          for (let count = 0; count < 100; count++) await turn()
        }
        expect(socket.bytesRead).toBe(makeRingMemory().length)
        expect(await received(intake, () => 0)).toEqual({ length: 2 ** 24, wrong: [] })
      },
    ))

  test('is right whoever is the quicker one', () => {
    // A generator of Park and Miller: the same pieces and waits each time.
    let seed = 1
    const random = (below: number): number => {
      seed = (seed * 48_271) % 0x7fffffff
      return seed % below
    }
    const pieces = Array.from({ length: 30 }, () => [1 + random(1_500_000), random(40)] as const)
    const total = pieces.reduce((sum, [length]) => sum + length, 0)
    return receiving(pieces, async (intake) => {
      expect(await received(intake, () => random(30))).toEqual({ length: total, wrong: [] })
    })
  })

  /** Reads to the end, with so many turns of the event loop over each chunk. */
  async function received(intake: RingReader, turns: () => number): Promise<{ length: number; wrong: number[] }> {
    let length = 0
    const wrong: number[] = []
    for (let chunk = await intake.read('body', context); chunk !== null; chunk = await intake.read('body', context)) {
      for (let count = turns(); count > 0; count--) await turn()
      if (firstWrong(chunk, length) !== -1) wrong.push(length)
      length += chunk.length
    }
    return { length, wrong }
  }
})

function bigPiece(offset: number, length: number): Uint8Array {
  return big.subarray(offset, offset + length)
}
