/** The beginning of a body, which is read into memory before its consumer asks for it. */
export class ReadAhead {
  /** Reads the next chunk of the body. The chunk is not used elsewhere. Null at the end. */
  readonly #pull: () => Promise<Uint8Array | null>
  readonly #limit: number
  #chunks: Uint8Array[] = []
  #length = 0
  /** Resolves when enough has been read, or the consumer reads. */
  readonly filled: Promise<void>
  #failure: { readonly error: unknown } | null = null
  #isWhole = false
  /** True after the consumer has received octets. */
  isGiven = false
  /** True while the consumer waits for octets. */
  isWanted = false

  /** Reads until it has more than `limit` octets or the consumer reads. */
  constructor(pull: () => Promise<Uint8Array | null>, limit: number) {
    this.#pull = pull
    this.#limit = limit
    this.filled = this.#fill()
  }

  /** Gives the consumer the next chunk; null at the end. */
  async read(): Promise<Uint8Array | null> {
    this.isWanted = true
    try {
      await this.filled
      const chunk = this.#chunks.shift()
      this.isGiven = true
      if (chunk !== undefined) return chunk
      // The consumer first gets the octets that arrived before the error.
      if (this.#failure !== null) throw this.#failure.error
      return this.#isWhole ? null : await this.#pull()
    } finally {
      this.isWanted = false
    }
  }

  /** Throws away the octets that the consumer has not yet received. */
  drop(): void {
    this.#chunks = []
    this.#length = 0
  }

  async #fill(): Promise<void> {
    try {
      while (!this.isWanted && this.#length <= this.#limit) {
        const chunk = await this.#pull()
        this.#isWhole = chunk === null
        if (chunk === null) return
        this.#chunks.push(chunk)
        this.#length += chunk.length
      }
    } catch (error) {
      this.#failure = { error }
    }
  }
}
