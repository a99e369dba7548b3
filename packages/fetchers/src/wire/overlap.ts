import { RetrievalError } from '@retriever/core'
import type { ByteSource } from '../contract/byte-source.ts'
import type { RetrievalContext } from '../contract/fetcher.ts'
import { overlap } from '../kit/request-options.ts'
import type { Portion, Proof } from './resuming-source.ts'

const nothing: Uint8Array = Buffer.alloc(0)

/** A source that begins with octets the consumer already has. It checks them and gives the octets after them. */
export class BehindTail implements ByteSource {
  readonly #source: ByteSource
  /** The octets that must come again. */
  #expected: Uint8Array
  #held: Uint8Array | null = null

  constructor(source: ByteSource, tail: Uint8Array) {
    this.#source = source
    this.#expected = tail
  }

  get reusesChunks(): boolean {
    return this.#source.reusesChunks === true
  }

  /**
   * Reads the octets that must come again. If they differ from the earlier ones, it cancels the source and returns
   * false.
   */
  async matches(): Promise<boolean> {
    while (this.#expected.length > 0) {
      const chunk = await this.#source.read()
      if (chunk === null) return false
      const again = chunk.subarray(0, this.#expected.length)
      if (Buffer.compare(again, this.#expected.subarray(0, again.length)) !== 0) {
        await this.cancel()
        return false
      }
      this.#expected = this.#expected.subarray(again.length)
      if (again.length < chunk.length) this.#held = chunk.subarray(again.length)
    }
    return true
  }

  /** Call it only after matches() was true. */
  async read(): Promise<Uint8Array | null> {
    const held = this.#held
    this.#held = null
    return held ?? this.#source.read()
  }

  cancel(): Promise<void> {
    this.#held = null
    return this.#source.cancel()
  }
}

/**
 * Proves that a resumed body continues the same file: the last octets given out must come again before the rest. Some
 * servers acknowledge REST and then begin at octet 0 (threats.md R18).
 */
export class OverlapProof implements Proof {
  readonly #context: RetrievalContext
  readonly #resume: (offset: number) => Promise<Portion>
  /** The last octets that were given out. */
  #tail = nothing

  /** `resume` asks for the octets from an offset on. */
  constructor(context: RetrievalContext, resume: (offset: number) => Promise<Portion>) {
    this.#context = context
    this.#resume = resume
  }

  async ask(offset: number): Promise<Portion> {
    const tail = this.#tail
    const portion = await this.#resume(offset - tail.length)
    return { ...portion, octets: this.#compared(portion.octets, tail) }
  }

  given(chunk: Uint8Array): void {
    const last = chunk.subarray(-overlap)
    const before = this.#tail.subarray(Math.max(0, this.#tail.length + last.length - overlap))
    // Node's buffer pool saves 3 µs for each small body; most of that is garbage collection.
    const tail = Buffer.allocUnsafe(before.length + last.length)
    tail.set(before)
    tail.set(last, before.length)
    this.#tail = tail
  }

  #compared(source: ByteSource, tail: Uint8Array): ByteSource {
    const rest = new BehindTail(source, tail)
    return {
      reusesChunks: rest.reusesChunks,
      read: async () => {
        try {
          if (await rest.matches()) return await rest.read()
        } catch (error) {
          // The server ignored REST and sent more octets than can remain.
          if (!RetrievalError.is(error) || error.code !== 'range-refused') throw error
        }
        throw this.#mismatch()
      },
      cancel: () => rest.cancel(),
    }
  }

  #mismatch(): RetrievalError {
    const message = 'The server continued with octets that differ from those sent before; retrieve the URL again.'
    return this.#context.error('partial', message, { phase: 'body' })
  }
}
