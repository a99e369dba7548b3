import { crc32 } from 'node:zlib'
import type { ByteSource } from '../../../contract/byte-source.ts'
import type { RetrievalContext } from '../../../contract/fetcher.ts'
import { systemReason } from '../../../kit/system-reason.ts'
import type { BodyWriter, Stored } from './stored.ts'

/** The facts about a whole body in the cache's index. */
export type Kept = Pick<Stored, 'body' | 'length' | 'check'>

/** The means by which a body is kept. */
export interface Keeping {
  readonly maxSize: number
  /** The number of octets by the response's head; null where it gives none. */
  readonly size: number | null
  create(): Promise<BodyWriter>
  /** Called once, with a whole body. */
  commit(kept: Kept): Promise<void>
  /** Closing the cache waits for this promise. */
  track(ending: Promise<void>): void
}

/**
 * A body that is written to the cache as its consumer reads it. If it breaks off or is cancelled, nothing is kept; if
 * it cannot be kept, the consumer gets it all the same.
 */
export class StoringBody implements ByteSource {
  readonly #source: ByteSource
  readonly #context: RetrievalContext
  readonly #keeping: Keeping
  #forget: () => void = () => {}
  #writer: Promise<BodyWriter> | undefined
  #dropped = false
  #length = 0
  #check = 0

  constructor(source: ByteSource, context: RetrievalContext, keeping: Keeping) {
    this.#source = source
    this.#context = context
    this.#keeping = keeping
    this.#forget = context.deadline.onAbort(() => this.#drop())
  }

  get reusesChunks(): boolean {
    return this.#source.reusesChunks === true
  }

  async read(): Promise<Uint8Array | null> {
    try {
      const chunk = await this.#source.read()
      // The chunk is written before the consumer gets it and may change it.
      await this.#attempt(() => (chunk === null ? this.#commit() : this.#write(chunk)))
      return chunk
    } catch (error) {
      await this.cancel()
      throw error
    }
  }

  cancel(): Promise<void> {
    this.#drop()
    return this.#source.cancel()
  }

  /**
   * Runs an operation. If it fails, nothing is kept and a remark says why; the retrieval goes on, unless it has ended.
   */
  async #attempt(operation: () => Promise<void>): Promise<void> {
    if (this.#dropped) return
    const { deadline, emit, url } = this.#context
    const running = operation()
    try {
      // The timers for a silent server do not run during a write.
      await deadline.unlimited(() => running)
    } catch (cause) {
      this.#drop()
      this.#keeping.track(running.catch(() => {}))
      deadline.throwIfAborted()
      const why = systemReason(cause) ?? (cause as Error).message
      emit({ type: 'remark', url, message: `It is not kept in the cache: ${why}.` })
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
    // If the body was dropped meanwhile, it has been removed.
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
