import { crc32 } from 'node:zlib'
import type { RetrievalContext } from '../../plugin/fetcher.ts'
import type { AnswerBody } from '../exchange.ts'
import type { BodyWriter, Stored } from './stored.ts'

/** What the store is told of a whole body. */
export type Kept = Pick<Stored, 'body' | 'length' | 'check'>

/** How a body is kept. */
export interface Keeping {
  readonly maxSize: number
  /** As the head says; null where it does not. */
  readonly size: number | null
  create(): Promise<BodyWriter>
  /** Called once, with a whole body. */
  commit(kept: Kept): Promise<void>
  /** Whoever closes the cache waits for it. */
  track(ending: Promise<void>): void
}

/**
 * Passes a body through while it is written to the cache, chunk by chunk as the consumer pulls: nothing is read
 * ahead. What does not come to its end is not kept, and what cannot be kept is passed through all the same.
 */
export class StoringBody implements AnswerBody {
  readonly #source: AnswerBody
  readonly #context: RetrievalContext
  readonly #keeping: Keeping
  #forget: () => void = () => {}
  #writer: Promise<BodyWriter> | undefined
  #dropped = false
  #length = 0
  #check = 0

  constructor(source: AnswerBody, context: RetrievalContext, keeping: Keeping) {
    this.#source = source
    this.#context = context
    this.#keeping = keeping
    this.#forget = context.deadline.onAbort(() => this.#drop())
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    try {
      const result = await this.#source.next()
      if (result.done) await this.#attempt(() => this.#commit())
      // Before the consumer has it, who may do with it what he likes.
      else await this.#attempt(() => this.#write(result.value))
      return result
    } catch (error) {
      await this.return()
      throw error
    }
  }

  async return(): Promise<IteratorResult<Uint8Array, undefined>> {
    this.#drop()
    return this.#source.return()
  }

  /** Keeping is given up where it fails; the retrieval goes on, unless it has ended meanwhile. */
  async #attempt(operation: () => Promise<void>): Promise<void> {
    if (this.#dropped) return
    const { deadline, emit, url } = this.#context
    const running = operation()
    try {
      // Not the server's silence: its timers do not run.
      await deadline.unlimited(() => running)
    } catch (cause) {
      this.#drop()
      this.#keeping.track(running.catch(() => {}))
      deadline.throwIfAborted()
      const { code, message } = cause as NodeJS.ErrnoException
      emit({ type: 'remark', url, message: `It is not kept in the cache: ${reasons[code ?? ''] ?? message}.` })
    }
  }

  async #write(chunk: Uint8Array): Promise<void> {
    this.#length += chunk.length
    if (this.#length > this.#keeping.maxSize) return this.#drop()
    this.#check = crc32(chunk, this.#check)
    this.#writer ??= this.#keeping.create()
    await (await this.#writer).write(chunk)
  }

  async #commit(): Promise<void> {
    const { size } = this.#keeping
    if (size !== null && size !== this.#length) return this.#drop()
    this.#writer ??= this.#keeping.create()
    const writer = await this.#writer
    await writer.end()
    // Whoever dropped it meanwhile has removed the body.
    if (this.#dropped) return
    await this.#keeping.commit({ body: writer.name, length: this.#length, check: this.#check })
    this.#over()
  }

  #drop(): void {
    if (this.#dropped) return
    this.#over()
    const writer = this.#writer
    if (writer !== undefined) this.#keeping.track(writer.then((made) => made.discard()).catch(() => {}))
  }

  #over(): void {
    this.#dropped = true
    this.#forget()
  }
}

const reasons: Readonly<Record<string, string>> = {
  EDQUOT: 'the quota is used up',
  ENOENT: 'its folder is gone',
  ENOSPC: 'no space is left on the device',
  EROFS: 'the file system is read-only',
}
