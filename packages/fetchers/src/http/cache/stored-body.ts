import { crc32 } from 'node:zlib'
import type { RetrievalContext } from '../../plugin/fetcher.ts'
import type { AnswerBody } from '../exchange.ts'
import type { BodyReader, Stored } from './stored.ts'

/** A body out of the cache, pulled chunk by chunk. At its end it must have been what was stored. */
export class StoredBody implements AnswerBody {
  readonly #reader: BodyReader | null
  readonly #stored: Stored
  readonly #context: RetrievalContext
  readonly #damaged: () => Promise<void>
  #forget: () => void = () => {}
  #over = false
  #length = 0
  #check = 0

  /** Null: there is none. `damaged` removes what is not what was stored. */
  constructor(reader: BodyReader | null, stored: Stored, context: RetrievalContext, damaged: () => Promise<void>) {
    this.#reader = reader
    this.#stored = stored
    this.#context = context
    this.#damaged = damaged
    if (reader === null) this.#over = true
    else this.#forget = context.deadline.onAbort(() => void this.return().catch(() => {}))
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    const { deadline } = this.#context
    deadline.throwIfAborted()
    if (this.#over) return { done: true, value: undefined }
    try {
      const chunk = await deadline.within('body', async () => (await this.#reader?.read()) ?? null)
      if (chunk !== null) return this.#passed(chunk)
    } catch (cause) {
      await this.return()
      throw deadline.reason ?? this.#unreadable(cause)
    }
    await this.return()
    if (this.#length === this.#stored.length && this.#check === this.#stored.check)
      return { done: true, value: undefined }
    await this.#damaged()
    throw this.#unreadable()
  }

  async return(): Promise<IteratorResult<Uint8Array, undefined>> {
    if (!this.#over) {
      this.#over = true
      this.#forget()
      await this.#reader?.close()
    }
    return { done: true, value: undefined }
  }

  #passed(chunk: Uint8Array): IteratorResult<Uint8Array, undefined> {
    this.#length += chunk.length
    this.#check = crc32(chunk, this.#check)
    return { done: false, value: chunk }
  }

  #unreadable(cause?: unknown): Error {
    const message = 'What the cache has of it is damaged, and was removed; retrieve it again.'
    return this.#context.error('file-failed', message, { phase: 'body', cause })
  }
}
