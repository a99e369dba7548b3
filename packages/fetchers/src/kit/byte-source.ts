import { Readable } from 'node:stream'
import { isUint8Array } from 'node:util/types'
import type { ByteSource } from '../contract/byte-source.ts'

/** Makes a source of octets in memory. Without an argument it is empty. */
export function wholeSource(octets: Uint8Array = new Uint8Array(0)): ByteSource {
  let left = octets.length === 0 ? null : octets
  return {
    async read() {
      const chunk = left
      left = null
      return chunk
    },
    async cancel() {
      left = null
    },
  }
}

/**
 * Makes a source of any async iterable of chunks, such as a generator. Returns a ByteSource unchanged. Throws a
 * TypeError for anything else.
 */
export function sourceOf(octets: ByteSource | AsyncIterable<Uint8Array>): ByteSource {
  if (typeof octets !== 'object' || octets === null || !(Symbol.asyncIterator in octets || 'read' in octets)) {
    throw new TypeError(`expected a ByteSource or an async iterable of octets as the body, got ${kindOf(octets)}`)
  }
  // A Node stream has a different read(), so we look for the iterator first.
  return Symbol.asyncIterator in octets ? new IteratedSource(octets) : octets
}

function kindOf(value: unknown): string {
  return Array.isArray(value) ? 'a list' : value === null ? 'null' : typeof value
}

class IteratedSource implements ByteSource {
  readonly #octets: AsyncIterable<Uint8Array>
  #iterator: AsyncIterator<Uint8Array> | undefined
  #isOver = false

  constructor(octets: AsyncIterable<Uint8Array>) {
    this.#octets = octets
    // The next read throws an error that comes before it. Without a listener, it would end the process.
    if (octets instanceof Readable) octets.on('error', () => {})
  }

  async read(): Promise<Uint8Array | null> {
    if (this.#isOver) return null
    try {
      this.#iterator ??= this.#octets[Symbol.asyncIterator]()
      const { done, value } = await this.#iterator.next()
      if (done !== true) {
        if (isUint8Array(value)) return value
        await this.#iterator.return?.()
        throw new TypeError(`expected octets (Uint8Array) as a chunk of the body, got ${kindOf(value)}`)
      }
    } catch (error) {
      this.#isOver = true
      throw error
    }
    this.#isOver = true
    return null
  }

  async cancel(): Promise<void> {
    if (this.#isOver) return
    this.#isOver = true
    // The iterator of a stream closes it only if it has been read.
    if (this.#octets instanceof Readable) this.#octets.destroy()
    this.#iterator ??= this.#octets[Symbol.asyncIterator]()
    await this.#iterator.return?.()
  }
}

/**
 * Yields the chunks of a source, for `for await` and for streams. Leaving the loop cancels the source. If `areKept` is
 * true, each chunk belongs to the consumer; otherwise it is valid until the next one.
 */
export async function* chunksOf(source: ByteSource, areKept: boolean = false): AsyncGenerator<Uint8Array, void, void> {
  try {
    for (let chunk = await source.read(); chunk !== null; chunk = await source.read()) {
      yield areKept && source.reusesChunks === true ? new Uint8Array(chunk) : chunk
    }
  } finally {
    await source.cancel()
  }
}
