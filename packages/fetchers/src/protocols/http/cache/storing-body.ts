import { crc32 } from 'node:zlib'
import type { ByteSource } from '../../../contract/byte-source.ts'
import type { RetrievalContext } from '../../../contract/fetcher.ts'
import { systemReason } from '../../../kit/system-reason.ts'
import type { BodyWriter, Stored } from './stored.ts'

/** What the cache's index says of a complete body. */
export type Kept = Pick<Stored, 'body' | 'length' | 'check'>

/** What is needed to keep a body. */
export interface Keeping {
  readonly maxSize: number
  /** How many octets the response's head announces. Null if it announces none. */
  readonly size: number | null
  create(): Promise<BodyWriter>
  /** Called once, after the body is complete. */
  commit(kept: Kept): Promise<void>
  /** Closing the cache waits for this promise. */
  track(ending: Promise<void>): void
}

/**
 * A body that is written to the cache while its consumer reads it. If it breaks off or is cancelled, nothing is kept.
 * If it cannot be kept, the consumer still gets it.
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
      // The chunk is written before the consumer gets it, since the consumer may change it.
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
   * Runs an operation. If it fails, nothing is kept and a remark says why. The retrieval continues, unless it has
   * ended.
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
    // If the body was dropped in the meantime, it has been removed.
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
