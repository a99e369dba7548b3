import type { RetrievalContext } from '../contract/fetcher.ts'
import type { OctetSource } from './framing/lines.ts'
import { isTurnLong, nextTurn } from './turn.ts'

/** Reads binary frames from a source: so many octets, or as many as have come. */
export class ExactReader {
  readonly #source: OctetSource
  readonly #context: RetrievalContext
  #held: Uint8Array = new Uint8Array(0)

  constructor(source: OctetSource, context: RetrievalContext) {
    this.#source = source
    this.#context = context
  }

  /** Exactly `count` octets; null if the stream has ended before the first. Rejects with `partial` within them. */
  async exactly(count: number, phase: 'request' | 'body'): Promise<Buffer | null> {
    if (isTurnLong()) await nextTurn(this.#context.deadline)
    if (this.#held.length >= count) return Buffer.from(this.#take(count))
    // The pieces are joined once: a peer that sends octet by octet must not make each of them copy all before it. What
    // was read is valid until the next read, so it is copied before that.
    const pieces: Uint8Array[] = [Uint8Array.from(this.#held)]
    for (let length = this.#held.length; length < count; ) {
      const chunk = await this.#source.read(phase)
      if (chunk === null) {
        this.#held = Buffer.concat(pieces)
        if (this.#held.length === 0) return null
        throw this.#cut(phase)
      }
      pieces.push(length + chunk.length < count ? Uint8Array.from(chunk) : chunk)
      length += chunk.length
    }
    this.#held = Buffer.concat(pieces)
    return Buffer.from(this.#take(count))
  }

  /** One octet or more, at most `count`. Rejects with `partial` at the end. */
  async some(count: number): Promise<Uint8Array> {
    if (isTurnLong()) await nextTurn(this.#context.deadline)
    if (this.#held.length === 0) {
      const chunk = await this.#source.read('body')
      if (chunk === null) throw this.#cut('body')
      this.#held = chunk
    }
    return this.#take(Math.min(count, this.#held.length))
  }

  #take(count: number): Uint8Array {
    const taken = this.#held.subarray(0, count)
    this.#held = this.#held.subarray(count)
    return taken
  }

  #cut(phase: 'request' | 'body'): Error {
    const code = phase === 'body' ? 'partial' : 'receive-failed'
    return this.#context.error(code, 'The connection ended within a message; try again.', { phase, transient: true })
  }
}
