import type { RetrievalContext } from '../fetcher.ts'
import { exchangeError } from './errors.ts'
import type { Exchange } from './exchange.ts'

/** The body of an answer, pulled chunk by chunk. At its end the connection is given back; on any other way it is destroyed. */
export class HttpBody implements AsyncIterableIterator<Uint8Array> {
  readonly #exchange: Exchange
  readonly #context: RetrievalContext
  readonly #giveBack: () => void
  #over = false

  constructor(exchange: Exchange, context: RetrievalContext, giveBack: () => void) {
    this.#exchange = exchange
    this.#context = context
    this.#giveBack = giveBack
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    if (this.#over) return { done: true, value: undefined }
    try {
      const chunk = await this.#chunk()
      if (chunk !== null) return { done: false, value: chunk }
      this.#over = true
      this.#giveBack()
      return { done: true, value: undefined }
    } catch (error) {
      await this.return()
      throw error
    }
  }

  async return(): Promise<IteratorResult<Uint8Array, undefined>> {
    if (!this.#over) {
      this.#over = true
      await this.#exchange.connection.destroy()
    }
    return { done: true, value: undefined }
  }

  async #chunk(): Promise<Uint8Array | null> {
    const { deadline } = this.#context
    if (deadline.signal.aborted) throw deadline.signal.reason
    try {
      const ready = this.#exchange.take()
      if (ready !== undefined) return ready
    } catch (cause) {
      deadline.phase = 'body'
      throw exchangeError(this.#context, this.#exchange.connection, cause)
    }
    return deadline.within('body', () => this.#arrival())
  }

  async #arrival(): Promise<Uint8Array | null> {
    try {
      return await this.#exchange.next()
    } catch (cause) {
      throw exchangeError(this.#context, this.#exchange.connection, cause)
    }
  }
}
