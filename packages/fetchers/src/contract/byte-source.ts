/**
 * Octets that one consumer pulls chunk by chunk. The source reads nothing ahead, so a slow consumer slows the sender
 * down.
 */
export interface ByteSource {
  /**
   * Gives the next chunk, valid until the next read() or cancel(), or null after the last octet of a complete body.
   * Rejects with a RetrievalError if the body is incomplete. Only one read may be under way at a time.
   */
  read(): Promise<Uint8Array | null>
  /**
   * Gives up the unread octets and settles once everything is released. It may be called at any time: during a read,
   * after the end, after a failure, and again.
   */
  cancel(): Promise<void>
  /**
   * True: the next read() overwrites the memory of the last chunk, so a consumer that keeps chunks must copy them.
   * False or absent: each chunk is the consumer's own.
   */
  readonly reusesChunks?: boolean
  /**
   * Names the consumer's sink, before the first read(). If the octets break off and the server can only send them again
   * from the first one, the source tells the sink to start over and goes on.
   */
  restartInto?(sink: Sink): void
}

/** The destination of octets. */
export interface Sink {
  /** Throws away the octets received so far. Null: the sink cannot do that, or not yet. */
  startOver: (() => Promise<void>) | null
}

/** A source of octets that are in memory; without an argument, an empty one. */
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
 * Makes a source of any async iterable of chunks, such as a generator. A ByteSource is given back as it is. Throws a
 * TypeError for anything else.
 */
export function sourceOf(octets: ByteSource | AsyncIterable<Uint8Array>): ByteSource {
  if (typeof octets !== 'object' || octets === null || !(Symbol.asyncIterator in octets || 'read' in octets)) {
    throw new TypeError(`expected a ByteSource or an async iterable of octets as the body, got ${kindOf(octets)}`)
  }
  // A Node stream has a read() too, but another one, so the iterator is looked for first.
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
  }

  async read(): Promise<Uint8Array | null> {
    if (this.#isOver) return null
    try {
      this.#iterator ??= this.#octets[Symbol.asyncIterator]()
      const { done, value } = await this.#iterator.next()
      if (done !== true) {
        if (ArrayBuffer.isView(value)) return value
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
    this.#iterator ??= this.#octets[Symbol.asyncIterator]()
    await this.#iterator.return?.()
  }
}

/**
 * The chunks of a source, for `for await` and for streams; leaving the loop cancels the source. If `areKept` is true,
 * each chunk is the consumer's own; otherwise it is valid until the next one.
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
