import type { RetrievalContext } from '../../plugin/fetcher.ts'
import { exchangeError } from '../errors.ts'
import type { AnswerBody } from '../exchange.ts'
import type { Exchange } from './connection.ts'

/** The body of an answer, pulled chunk by chunk, each the consumer's own. At its end the connection serves again; given up, it goes. */
export class HttpBody implements AnswerBody {
  readonly #exchange: Exchange
  readonly #context: RetrievalContext
  readonly #release: () => void
  #over = false

  /** `release` is called once, when nothing more is wanted of the exchange. */
  constructor(exchange: Exchange, context: RetrievalContext, release: () => void) {
    this.#exchange = exchange
    this.#context = context
    this.#release = release
  }

  /** The same octets in chunks that are overwritten once the next is asked for. */
  get reusable(): AsyncIterable<Uint8Array> {
    const lent: AsyncIterableIterator<Uint8Array> = {
      [Symbol.asyncIterator]: () => lent,
      next: () => this.#next(),
      return: () => this.return(),
    }
    return lent
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    const { done, value } = await this.#next()
    return done ? { done, value } : { done: false, value: new Uint8Array(value) }
  }

  async return(): Promise<IteratorResult<Uint8Array, undefined>> {
    if (!this.#over) {
      this.#end()
      await this.#exchange.cancel()
    }
    return { done: true, value: undefined }
  }

  async #next(): Promise<IteratorResult<Uint8Array, undefined>> {
    if (this.#over) return { done: true, value: undefined }
    const { deadline } = this.#context
    try {
      deadline.throwIfAborted()
      let chunk = this.#take()
      if (chunk === undefined) {
        chunk = await deadline.within('body', () => this.#arrived())
      }
      if (chunk !== null) return { done: false, value: chunk }
      this.#end()
      return { done: true, value: undefined }
    } catch (error) {
      await this.return()
      throw error
    }
  }

  async #arrived(): Promise<Uint8Array | null> {
    while (true) {
      await this.#exchange.arrival()
      const chunk = this.#take()
      if (chunk !== undefined) return chunk
    }
  }

  #take(): Uint8Array | null | undefined {
    try {
      return this.#exchange.take()
    } catch (cause) {
      this.#context.deadline.phase = 'body'
      throw exchangeError(this.#context, this.#exchange, cause)
    }
  }

  #end(): void {
    this.#over = true
    this.#release()
  }
}
