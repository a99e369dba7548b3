import { RetrievalError } from '@retriever/core'
import type { ByteSource, Sink } from '@retriever/fetchers/plugin'

/** How a body ended: complete, given up, or with an error. */
export type BodyEnd = 'whole' | 'given up' | RetrievalError

/** Passes a body on, and keeps a copy of its first octets. */
export class RecordedSource implements ByteSource {
  readonly #source: ByteSource
  readonly #limit: number
  readonly #ended: (end: BodyEnd) => void
  #kept: Buffer[] = []
  #size = 0
  #received = 0

  /** Keeps at most `limit` octets. */
  constructor(source: ByteSource, limit: number, ended: (end: BodyEnd) => void) {
    this.#source = source
    this.#limit = limit
    this.#ended = ended
  }

  get reusesChunks(): boolean {
    return this.#source.reusesChunks === true
  }

  get octets(): Buffer {
    return Buffer.concat(this.#kept)
  }

  /** Whether more octets arrived than were kept. */
  get isOverLimit(): boolean {
    return this.#received > this.#size
  }

  restartInto(sink: Sink): void {
    const startOver = async (inner: () => Promise<void>): Promise<void> => {
      await inner()
      this.#kept = []
      this.#size = 0
      this.#received = 0
    }
    this.#source.restartInto?.({
      get startOver() {
        const inner = sink.startOver
        return inner === null ? null : () => startOver(() => inner())
      },
    })
  }

  async read(): Promise<Uint8Array | null> {
    try {
      const chunk = await this.#source.read()
      if (chunk === null) this.#ended('whole')
      else this.#keep(chunk)
      return chunk
    } catch (error) {
      this.#ended(asError(error))
      throw error
    }
  }

  async cancel(): Promise<void> {
    try {
      await this.#source.cancel()
    } finally {
      this.#ended('given up')
    }
  }

  #keep(chunk: Uint8Array): void {
    this.#received += chunk.length
    const kept = chunk.subarray(0, Math.max(0, this.#limit - this.#size))
    this.#size += kept.length
    if (kept.length > 0) this.#kept.push(Buffer.from(kept))
  }
}

/** Returns the error of a fetcher as a RetrievalError. A fetcher may throw others, too. */
export function asError(error: unknown): RetrievalError {
  if (RetrievalError.is(error)) return error
  return new RetrievalError('receive-failed', `Unexpected error (${String(error)}).`, { phase: 'body', cause: error })
}
