import { crc32 } from 'node:zlib'
import type { ByteSource } from '../../../contract/byte-source.ts'
import type { RetrievalContext } from '../../../contract/fetcher.ts'
import type { Stored } from './stored.ts'

/**
 * A body from the cache. Its length and checksum are compared at the end. If it is damaged, it is removed and the read
 * fails.
 */
export class StoredBody implements ByteSource {
  readonly #reader: ByteSource | null
  readonly #stored: Stored
  readonly #context: RetrievalContext
  readonly #damaged: () => Promise<void>
  #forget: () => void = () => {}
  #over = false
  #length = 0
  #check = 0

  /** `reader` is null if no body was stored. `damaged` removes the entry from the cache. */
  constructor(reader: ByteSource | null, stored: Stored, context: RetrievalContext, damaged: () => Promise<void>) {
    this.#reader = reader
    this.#stored = stored
    this.#context = context
    this.#damaged = damaged
    if (reader === null) this.#over = true
    else this.#forget = context.deadline.onAbort(() => void this.cancel().catch(() => {}))
  }

  async read(): Promise<Uint8Array | null> {
    const { deadline } = this.#context
    deadline.throwIfAborted()
    if (this.#over) return null
    try {
      const chunk = await deadline.within('body', async () => (await this.#reader?.read()) ?? null)
      if (chunk !== null) return this.#counted(chunk)
    } catch (cause) {
      await this.cancel()
      throw deadline.reason ?? this.#unreadable(cause)
    }
    await this.cancel()
    if (this.#length === this.#stored.length && this.#check === this.#stored.check) return null
    await this.#damaged()
    throw this.#unreadable()
  }

  async cancel(): Promise<void> {
    if (this.#over) return
    this.#over = true
    this.#forget()
    await this.#reader?.cancel()
  }

  #counted(chunk: Uint8Array): Uint8Array {
    this.#length += chunk.length
    this.#check = crc32(chunk, this.#check)
    return chunk
  }

  #unreadable(cause?: unknown): Error {
    const message = 'The copy in the cache is damaged and was removed; retrieve it again.'
    return this.#context.error('file-failed', message, { phase: 'body', cause })
  }
}
