import { crc32 } from 'node:zlib'
import type { ByteSource } from '../../../contract/byte-source.ts'
import type { RetrievalContext } from '../../../contract/fetcher.ts'
import type { Stored } from './stored.ts'

/**
 * A body from the cache. Its checksum is compared at the end. If it is damaged, the read fails; the store finds that
 * out when the body is opened the next time, and it is removed.
 */
export class StoredBody implements ByteSource {
  readonly #reader: ByteSource | null
  readonly #stored: Stored
  readonly #context: RetrievalContext
  /** If the retrieval has been aborted already, cancel() is called before there is anything to forget. */
  #forget: () => void = () => {}
  /** True once the body was read or given up. A consumer may read again, after the file is closed. */
  #isOver = false
  #check = 0

  /** `reader` is null if no body was stored. */
  constructor(reader: ByteSource | null, stored: Stored, context: RetrievalContext) {
    this.#reader = reader
    this.#stored = stored
    this.#context = context
    this.#forget = context.deadline.onAbort(() => void this.cancel().catch(() => {}))
  }

  async read(): Promise<Uint8Array | null> {
    const { deadline } = this.#context
    deadline.throwIfAborted()
    const reader = this.#reader
    if (reader === null || this.#isOver) return null
    try {
      const chunk = await deadline.within('body', () => reader.read())
      if (chunk !== null) return this.#counted(chunk)
    } catch (cause) {
      await this.cancel()
      throw deadline.reason ?? this.#unreadable(cause)
    }
    await this.cancel()
    if (this.#check === this.#stored.check) return null
    throw this.#unreadable()
  }

  async cancel(): Promise<void> {
    this.#isOver = true
    this.#forget()
    await this.#reader?.cancel()
  }

  #counted(chunk: Uint8Array): Uint8Array {
    this.#check = crc32(chunk, this.#check)
    return chunk
  }

  #unreadable(cause?: unknown): Error {
    const message = 'The copy in the cache is damaged; retrieve it again.'
    return this.#context.error('file-failed', message, { phase: 'body', cause })
  }
}
