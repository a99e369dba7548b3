import type { ByteSource } from '../../../contract/byte-source.ts'
import type { RetrievalContext } from '../../../contract/fetcher.ts'

/** The octets of an answer that has announced how many there are. Rejects with `partial` if fewer come. */
export class AnnouncedOctets implements ByteSource {
  readonly #source: ByteSource
  readonly #length: number
  readonly #context: RetrievalContext
  readonly #isCut: boolean
  #left: number

  /**
   * `isCut`: octets beyond the announced number are dropped, and the connection is closed (threats.md R5). Otherwise
   * they are a `protocol-violation`.
   */
  constructor(source: ByteSource, length: number, context: RetrievalContext, isCut: boolean) {
    this.#source = source
    this.#length = length
    this.#context = context
    this.#isCut = isCut
    this.#left = length
  }

  get reusesChunks(): boolean {
    return this.#source.reusesChunks === true
  }

  async read(): Promise<Uint8Array | null> {
    const left = this.#left
    let chunk: Uint8Array | null
    try {
      chunk = await this.#source.read()
    } catch (error) {
      // A failure after the last octet, such as a missing last chunk, does not count.
      if (left > 0 || this.#context.deadline.reason !== null) throw error
      await this.cancel()
      return null
    }
    this.#left -= Math.min(left, chunk?.length ?? 0)
    if (chunk === null && left > 0) throw this.#short()
    if (chunk === null || chunk.length <= left) return chunk
    if (!this.#isCut) throw this.#surplus()
    await this.cancel()
    return chunk.subarray(0, left)
  }

  cancel(): Promise<void> {
    return this.#source.cancel()
  }

  #short(): Error {
    const message = 'The server sent less than it had announced; try again.'
    return this.#context.error('partial', message, { phase: 'body', transient: true })
  }

  #surplus(): Error {
    const message = `The server sent more than the ${this.#length} octets that it had announced; retrieve it anew.`
    return this.#context.error('protocol-violation', message, { phase: 'body' })
  }
}
