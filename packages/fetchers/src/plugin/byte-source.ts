/**
 * Octets that one consumer pulls chunk by chunk. Nothing is read ahead of it, so that a slow consumer slows the sender
 * down.
 */
export interface ByteSource {
  /**
   * The next chunk, valid until the next read() or cancel(); null at the end, which comes only where the octets are
   * whole. Rejects with a RetrievalError where they are not. One read at a time.
   */
  read(): Promise<Uint8Array | null>
  /**
   * Gives up what was not read. Settles once everything is released. It may be called at any time: during a read, after
   * the end, after a failure, and again.
   */
  cancel(): Promise<void>
  /**
   * Of the chunk that was read last. True: the next read() overwrites its memory, so that a consumer that keeps chunks
   * must copy them. False or absent: the chunk is the consumer's own.
   */
  readonly reusesChunks?: boolean
  /**
   * Names the consumer's sink before the first read(). Where the octets break off and can only come again from the
   * first one on, the source has the sink start over and goes on.
   */
  restartInto?(sink: Sink): void
}

/** Where octets go. */
export interface Sink {
  /** Throws away what has come until now. Null: it cannot, or not yet. */
  startOver: (() => Promise<void>) | null
}

/** A source of octets that are in memory; without an argument, of none at all. */
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

/** A source of what a plug-in gives, or a generator yields: any async iterable of chunks will do. */
export function sourceOf(octets: ByteSource | AsyncIterable<Uint8Array>): ByteSource {
  // A Node stream has both: its read() is another one.
  return Symbol.asyncIterator in octets ? new IteratedSource(octets) : octets
}

class IteratedSource implements ByteSource {
  readonly #octets: AsyncIterable<Uint8Array>
  #iterator: AsyncIterator<Uint8Array> | undefined
  #isOver = false

  constructor(octets: AsyncIterable<Uint8Array>) {
    this.#octets = octets
  }

  async read(): Promise<Uint8Array | null> {
    if (this.#isOver) return null
    try {
      this.#iterator ??= this.#octets[Symbol.asyncIterator]()
      const { done, value } = await this.#iterator.next()
      if (done !== true) return value
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
    this.#iterator ??= this.#octets[Symbol.asyncIterator]()
    await this.#iterator.return?.()
  }
}

/**
 * The chunks of a source for `for await` and for streams; leaving the loop cancels the source. `areKept`: each chunk is
 * the consumer's own. Otherwise it is valid until the next.
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
