import { RetrievalError } from '@retriever/core'
import type { OneBody } from '../wire/resuming-body.ts'
import type { Dialogue } from './exchange.ts'
import type { Slot } from './order.ts'

/**
 * The octets of a multi-line block (RFC 3977 3.1.1), pulled one chunk at a time. It ends after the line with a dot, and frees its
 * session for others; given up before, the rest is read away there, or the session is closed. A chunk is the consumer's own.
 */
export class BlockBody implements OneBody {
  readonly #dialogue: Dialogue
  readonly #slot: Slot
  readonly #unlink: () => void
  #isOver = false
  isBroken = false

  constructor(dialogue: Dialogue, slot: Slot) {
    this.#dialogue = dialogue
    this.#slot = slot
    // The retrieval may end while nobody reads.
    this.#unlink = dialogue.context.deadline.onAbort(() => this.#giveUp())
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    if (this.#isOver) return { done: true, value: undefined }
    const { session, context, done } = this.#dialogue
    try {
      const octets = await session.next(this.#slot, context)
      if (octets !== null) return { done: false, value: octets }
    } catch (error) {
      this.isBroken = RetrievalError.is(error) && error.code === 'partial' && context.deadline.reason === null
      this.#giveUp()
      throw error
    }
    session.end(this.#slot)
    this.#end()
    done()
    return { done: true, value: undefined }
  }

  async return(): Promise<IteratorResult<Uint8Array, undefined>> {
    this.#giveUp()
    return { done: true, value: undefined }
  }

  #giveUp(): void {
    if (this.#isOver) return
    this.#end()
    this.#dialogue.session.abandon(this.#slot)
    this.#dialogue.done()
  }

  #end(): void {
    this.#isOver = true
    this.#unlink()
  }
}

/** A body of which the consumer has the first octets already. */
export function without(octets: number, body: BlockBody): OneBody {
  let left = octets
  const rest: OneBody = {
    get isBroken() {
      return body.isBroken
    },
    [Symbol.asyncIterator]: () => rest,
    async next() {
      while (true) {
        const result = await body.next()
        if (result.done === true) return result
        const chunk = result.value.subarray(left)
        left -= result.value.length - chunk.length
        if (chunk.length > 0) return { done: false, value: chunk }
      }
    },
    return: () => body.return(),
  }
  return rest
}
