import type { OctetSource } from '../wire/framing/lines.ts'
import type { Connection } from '../wire/transport/connection.ts'

/**
 * The octets of an item, whose end ends its connection. Plain iterators, here and below: each generator around another costs several
 * turns for each chunk, and most items are one.
 */
export class ItemBody implements AsyncIterableIterator<Uint8Array> {
  readonly #octets: AsyncIterator<Uint8Array>
  readonly #connection: Connection

  constructor(octets: AsyncIterable<Uint8Array>, connection: Connection) {
    this.#octets = octets[Symbol.asyncIterator]()
    this.#connection = connection
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    try {
      const result = await this.#octets.next()
      if (result.done !== true) return result
    } catch (error) {
      this.#connection.close()
      throw error
    }
    return this.return()
  }

  async return(): Promise<IteratorResult<Uint8Array, undefined>> {
    this.#connection.close()
    return { done: true, value: undefined }
  }
}

/** Octets to the end of the connection. */
export class PlainOctets implements AsyncIterableIterator<Uint8Array> {
  readonly #source: OctetSource

  constructor(source: OctetSource) {
    this.#source = source
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    const value = await this.#source.read('body')
    return value === null ? { done: true, value: undefined } : { done: false, value }
  }
}
