import { octetsToText } from '@retriever/core'
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

/** A redirect's or an error's body is read away so that the connection can serve again, but not for longer than this. */
const discardMilliseconds = 1000

/** Reads a body away, if that is quickly done; else its connection goes. */
export async function discard(body: HttpBody, context: RetrievalContext): Promise<void> {
  await readBriefly(body, context, () => {})
}

/** The first KiB of an error's body as text, or as much of it as comes soon; the rest is discarded. */
export async function readExcerpt(body: HttpBody, context: RetrievalContext): Promise<string> {
  let excerpt = Buffer.alloc(0)
  await readBriefly(body, context, (chunk) => {
    const missing = 1024 - excerpt.length
    if (missing > 0) excerpt = Buffer.concat([excerpt, chunk.subarray(0, missing)])
  })
  return octetsToText(excerpt.toString('latin1'))
}

async function readBriefly(
  body: HttpBody,
  { limits }: RetrievalContext,
  take: (chunk: Uint8Array) => void,
): Promise<void> {
  const timer = setTimeout(() => void body.return(), discardMilliseconds)
  try {
    let length = 0
    for await (const chunk of body) {
      take(chunk)
      length += chunk.length
      if (length > limits.maxReply) break
    }
  } catch {
    // Broken off: nobody wants it.
  } finally {
    clearTimeout(timer)
  }
}
