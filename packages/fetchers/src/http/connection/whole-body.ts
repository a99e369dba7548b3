import type { AnswerBody } from '../exchange.ts'

/** A body that has come already. */
export class WholeBody implements AnswerBody {
  #octets: Uint8Array | null

  constructor(octets: Uint8Array) {
    this.#octets = octets.length === 0 ? null : octets
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    const octets = this.#octets
    this.#octets = null
    return octets === null ? { done: true, value: undefined } : { done: false, value: octets }
  }

  return(): Promise<IteratorResult<Uint8Array, undefined>> {
    this.#octets = null
    return this.next()
  }
}
