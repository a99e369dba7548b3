import { type ErrorCode, RetrievalError } from '@retriever/core'
import { defaultLimits } from '@retriever/fetchers'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { ByteSource } from '../../packages/fetchers/src/contract/byte-source.ts'
import type { RetrievalContext } from '../../packages/fetchers/src/contract/fetcher.ts'
import { chunksOf } from '../../packages/fetchers/src/kit/byte-source.ts'
import { RetrievalDeadline } from '../../packages/fetchers/src/kit/deadline.ts'
import { OverlapProof } from '../../packages/fetchers/src/wire/overlap.ts'
import { type Portion, ResumingSource } from '../../packages/fetchers/src/wire/resuming-source.ts'
import { runs } from '../support/runs.ts'

const limits = { ...defaultLimits, maxRetries: 1000, maxRetryDelay: 0 }

function makeContext(): RetrievalContext {
  const error = (code: ErrorCode, message: string): RetrievalError =>
    new RetrievalError(code, message, { phase: 'body' })
  const deadline = new RetrievalDeadline('test:', limits)
  return {
    url: 'test:',
    deadline,
    limits,
    request: {},
    tls: {},
    proxy: null,
    emit() {},
    error,
    credentials: async () => null,
    retrieve: () => Promise.reject(new Error('not asked')),
    handoff: () => expect.fail('not asked'),
  }
}

/** One connection, which breaks after so many octets. Its chunks share their memory. */
class Broken implements ByteSource {
  readonly reusesChunks = true
  isBroken = false
  isCancelled = false
  readonly #octets: Uint8Array
  readonly #chunkSize: number
  readonly #memory = new Uint8Array(10_000)
  #at: number
  #left: number

  constructor(octets: Uint8Array, at: number, left: number, chunkSize: number) {
    this.#octets = octets
    this.#at = at
    this.#left = left
    this.#chunkSize = chunkSize
  }

  async read(): Promise<Uint8Array | null> {
    const chunk = this.#octets.subarray(this.#at, this.#at + Math.min(this.#left, this.#chunkSize))
    if (this.#at === this.#octets.length) return null
    if (chunk.length === 0) {
      this.isBroken = true
      throw new RetrievalError('partial', 'broken', { phase: 'body' })
    }
    this.#at += chunk.length
    this.#left -= chunk.length
    this.#memory.fill(0)
    this.#memory.set(chunk)
    return this.#memory.subarray(0, chunk.length)
  }

  async cancel(): Promise<void> {
    this.isCancelled = true
  }
}

function octetsOf(length: number): Uint8Array {
  return Uint8Array.from({ length }, (_, index) => (index * 7 + (index >> 8)) % 251)
}

async function read(source: ByteSource): Promise<Buffer> {
  const kept: Uint8Array[] = []
  for await (const chunk of chunksOf(source, true)) kept.push(chunk)
  return Buffer.concat(kept)
}

test('property 12: a body that breaks off anywhere, however often and in whatever chunks, comes whole by an overlap', async () => {
  const octets = octetsOf(30_000)
  const size = fc.integer({ min: 1, max: 9000 })
  await fc.assert(
    fc.asyncProperty(fc.array(size, { minLength: 1, maxLength: 8 }), size, async (breaks, chunkSize) => {
      const left = [...breaks]
      const connect = (offset: number): Portion => {
        // The octets that come again, and some more.
        const body = new Broken(octets, offset, (left.shift() ?? Number.POSITIVE_INFINITY) + 4096, chunkSize)
        return { octets: body, connection: body }
      }
      const context = makeContext()
      const proof = new OverlapProof(context, async (offset) => connect(offset))
      const source = new ResumingSource(context, proof, { offset: 0, portion: connect(0) })
      expect(Buffer.compare(await read(source), octets)).toBe(0)
    }),
    { numRuns: runs(40) },
  )
})

test.each([
  ['other octets', octetsOf(9000).map((octet) => octet ^ 1)],
  ['fewer octets', octetsOf(4000)],
])('%s in place of those before the break end it with partial', async (_, other) => {
  const context = makeContext()
  const first = new Broken(octetsOf(9000), 0, 5000, 1000)
  const rest = new Broken(other, 904, 9000, 1000)
  const asked: number[] = []
  const proof = new OverlapProof(context, async (offset) => {
    asked.push(offset)
    return { octets: rest, connection: rest }
  })
  const source = new ResumingSource(context, proof, { offset: 0, portion: { octets: first, connection: first } })
  await expect(read(source)).rejects.toMatchObject({
    code: 'partial',
    message: /octets that differ from those sent before/,
  })
  expect([asked, rest.isCancelled]).toEqual([[904], true])
})

test('cancel() while the rest is asked for cancels what comes of that, and asks for no more', async () => {
  const context = makeContext()
  const first = new Broken(octetsOf(9000), 0, 0, 1000)
  const rest = new Broken(octetsOf(9000), 0, 9000, 1000)
  let answer: (portion: Portion) => void = () => {}
  let wasAsked: () => void = () => {}
  const asked = new Promise<void>((resolve) => {
    wasAsked = resolve
  })
  const proof = new OverlapProof(context, () => {
    wasAsked()
    return new Promise((resolve) => {
      answer = resolve
    })
  })
  const source = new ResumingSource(context, proof, { offset: 0, portion: { octets: first, connection: first } })
  const reading = source.read()
  await asked
  await source.cancel()
  answer({ octets: rest, connection: rest })
  expect(await reading).toBeNull()
  expect([rest.isCancelled, await source.read()]).toEqual([true, null])
})
