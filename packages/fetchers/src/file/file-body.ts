import type { FileHandle } from 'node:fs/promises'
import { RetrievalError } from '@retriever/core'
import type { RetrievalContext } from '../plugin/fetcher.ts'
import type { Extent } from './extent.ts'
import { fileError } from './file-error.ts'

/** Read at a time: larger gains nothing (see test/bench), smaller costs a turn of the thread pool for each. */
export const chunkSize: number = 256 * 1024

/** The octets of an open file, which it closes at its end, on errors, when the consumer stops, and when the deadline aborts. */
export class FileBody implements AsyncIterableIterator<Uint8Array> {
  readonly #handle: FileHandle
  readonly #context: RetrievalContext
  readonly #end: number
  #forget: () => void = () => {}
  #position: number
  #first: Uint8Array | undefined
  #closed: Promise<void> | undefined

  /** `first`: what has been read already, from `extent.start`. */
  constructor(handle: FileHandle, context: RetrievalContext, extent: Extent, first?: Uint8Array) {
    this.#handle = handle
    this.#context = context
    this.#position = extent.start
    this.#end = extent.end
    this.#first = first
    this.#forget = context.deadline.onAbort(() => void this.return())
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    this.#context.deadline.throwIfAborted()
    if (this.#closed !== undefined) return { done: true, value: undefined }
    try {
      const chunk = this.#first ?? (await this.#read())
      this.#first = undefined
      this.#position += chunk.length
      if (chunk.length > 0) return { done: false, value: chunk }
      return await this.return()
    } catch (error) {
      await this.return()
      throw error
    }
  }

  async return(): Promise<IteratorResult<Uint8Array, undefined>> {
    // Every caller waits for the one close, also where the deadline began it: after cancel() the file is closed.
    this.#closed ??= this.#close()
    await this.#closed
    return { done: true, value: undefined }
  }

  /** Waits for a read under way; a failure to close what was only read loses nothing. */
  async #close(): Promise<void> {
    this.#forget()
    await this.#handle.close().catch(() => {})
  }

  /** The next octets, none at the end. What was appended since the file was opened is not read. */
  async #read(): Promise<Uint8Array> {
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
