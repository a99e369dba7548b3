import type { FileHandle } from 'node:fs/promises'
import { RetrievalError } from '@retriever/core'
import type { ByteSource } from '../contract/byte-source.ts'
import type { RetrievalContext } from '../contract/fetcher.ts'
import type { Extent } from '../kit/extent.ts'
import { fileError } from './file-error.ts'

/**
 * How many octets one read takes. Larger reads are no faster (see test/bench), and each smaller one costs a turn of the
 * thread pool.
 */
export const chunkSize: number = 256 * 1024

/** Reads an open file, and closes it at the end, on errors, by cancel(), and when the deadline aborts. */
export class FileBody implements ByteSource {
  readonly #handle: FileHandle
  readonly #context: RetrievalContext
  readonly #end: number
  #forget: () => void = () => {}
  #position: number
  #first: Uint8Array | undefined
  #closed: Promise<void> | undefined

  /** `first` holds the octets from `extent.start` on that were already read. */
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

  /** All callers wait for the same close, even if the deadline began it. Afterwards the file is closed. */
  cancel(): Promise<void> {
    this.#closed ??= this.#close()
    return this.#closed
  }

  /** Waits for a read that is under way. If the close fails, nothing is lost, since the file was only read. */
  async #close(): Promise<void> {
    this.#forget()
    await this.#handle.close().catch(() => {})
  }

  /** Reads the next octets; empty at the end. Leaves out octets that were appended since the file was opened. */
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

/** Reads up to `length` octets into a new buffer. */
export async function readChunk(handle: FileHandle, position: number, length: number): Promise<Uint8Array> {
  const buffer = Buffer.allocUnsafeSlow(length)
  const { bytesRead } = await handle.read(buffer, 0, length, position)
  return new Uint8Array(buffer.buffer, 0, bytesRead)
}
