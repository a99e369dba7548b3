import type { ByteSource } from '../../../contract/byte-source.ts'
import type { RetrievalContext } from '../../../contract/fetcher.ts'
import { exchangeError } from '../errors.ts'
import type { Exchange } from './connection.ts'

/** The body of an answer. At its end the connection can serve again. cancel() closes the connection. */
export class HttpBody implements ByteSource {
  readonly #exchange: Exchange
  readonly #context: RetrievalContext
  readonly #release: () => void
  #isOver = false
  readonly reusesChunks = true

  /** `release` is called once, when the exchange is no longer needed. */
  constructor(exchange: Exchange, context: RetrievalContext, release: () => void) {
    this.#exchange = exchange
    this.#context = context
    this.#release = release
  }

  async read(): Promise<Uint8Array | null> {
    if (this.#isOver) return null
    const { deadline } = this.#context
    try {
      deadline.throwIfAborted()
      let chunk = this.#take()
      if (chunk === undefined) chunk = await deadline.within('body', () => this.#arrived())
      if (chunk === null) this.#end()
      return chunk
    } catch (error) {
      await this.cancel()
      throw error
    }
  }

  async cancel(): Promise<void> {
    if (this.#isOver) return
    this.#end()
    await this.#exchange.cancel()
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
    this.#isOver = true
    this.#release()
  }
}
