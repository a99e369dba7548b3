import type { FileHandle } from 'node:fs/promises'
import { RetrievalError } from '@retriever/core'
import type { ByteSource } from '../contract/byte-source.ts'
import type { RetrievalContext } from '../contract/fetcher.ts'
import type { Extent } from '../kit/extent.ts'
import { fileError } from './file-error.ts'

/**
 * The size of one read: larger reads gain nothing (see test/bench), smaller ones each cost a turn of the thread pool.
 */
export const chunkSize: number = 256 * 1024

/** The octets of an open file. It is closed at the end, on errors, by cancel(), and when the deadline aborts. */
export class FileBody implements ByteSource {
  readonly #handle: FileHandle
  readonly #context: RetrievalContext
  readonly #end: number
  #forget: () => void = () => {}
  #position: number
  #first: Uint8Array | undefined
  #closed: Promise<void> | undefined

  /** `first`: the octets that have been read already, from `extent.start`. */
  constructor(handle: FileHandle, context: RetrievalContext, extent: Extent, first?: Uint8Array) {
    this.#handle = handle
    this.#context = context
    this.#position = extent.start
    this.#end = extent.end
    this.#first = first
    this.#forget = context.deadline.onAbort(() => void this.cancel())
  }

  async read(): Promise<Uint8Array | null> {
    this.#context.deadline.throwIfAborted()
    if (this.#closed !== undefined) return null
    try {
      const chunk = this.#first ?? (await this.#readNext())
      this.#first = undefined
      this.#position += chunk.length
      if (chunk.length > 0) return chunk
    } catch (error) {
      await this.cancel()
      throw error
    }
    await this.cancel()
    return null
  }

  /** All callers wait for the same close, even if the deadline began it; afterwards the file is closed. */
  cancel(): Promise<void> {
    this.#closed ??= this.#close()
    return this.#closed
  }

  /** Waits for a read under way. A failure to close a file that was only read loses nothing. */
  async #close(): Promise<void> {
    this.#forget()
    await this.#handle.close().catch(() => {})
  }

  /** The next octets, none at the end. Octets appended since the file was opened are not read. */
  async #readNext(): Promise<Uint8Array> {
    const { deadline, error } = this.#context
    const length = Math.min(chunkSize, this.#end - this.#position)
    if (length <= 0) return new Uint8Array(0)
    const chunk = await deadline
      .within('body', () => readChunk(this.#handle, this.#position, length))
      .catch((cause) => {
        throw RetrievalError.is(cause) ? cause : fileError(this.#context, cause)
      })
    if (chunk.length > 0 || this.#end === Number.POSITIVE_INFINITY) return chunk
    throw error('partial', `The file became shorter while it was read; only ${this.#position} octets are left.`)
  }
}

/** Up to `length` octets in a buffer of their own. */
export async function readChunk(handle: FileHandle, position: number, length: number): Promise<Uint8Array> {
  const buffer = Buffer.allocUnsafeSlow(length)
  const { bytesRead } = await handle.read(buffer, 0, length, position)
  return new Uint8Array(buffer.buffer, 0, bytesRead)
}
