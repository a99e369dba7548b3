import type { RetrievalContext } from '../contract/fetcher.ts'
import type { OctetSource } from './framing/lines.ts'
import { isTurnLong, nextTurn } from './turn.ts'

/** Reads binary frames from a source: a fixed number of octets, or as many as have arrived. */
export class ExactReader {
  readonly #source: OctetSource
  readonly #context: RetrievalContext
  #held: Uint8Array = new Uint8Array(0)

  constructor(source: OctetSource, context: RetrievalContext) {
    this.#source = source
    this.#context = context
  }

  /**
   * Reads exactly `count` octets. Returns null if the stream ends before the first, rejects with `partial` if it ends
   * later.
   */
  async exactly(count: number, phase: 'request' | 'body'): Promise<Buffer | null> {
    if (isTurnLong()) await nextTurn(this.#context.deadline)
    if (this.#held.length >= count) return Buffer.from(this.#take(count))
    // Joins the pieces once, at the end: if a peer sends octet by octet, each join would copy everything before it. A
    // source may overwrite its chunk at the next read, so each piece is copied here.
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

  /** Reads between one and `count` octets. Rejects with `partial` at the end of the stream. */
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
