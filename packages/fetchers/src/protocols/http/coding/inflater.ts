import type { Transform } from 'node:stream'

/** A stream of node:zlib that decompresses. */
export type ZlibStream = Transform & { readonly bytesWritten: number }

/**
 * Drives a zlib stream by hand: the caller writes octets and pulls decoded ones, and zlib is never more than one chunk
 * ahead. A piped zlib stream would not tell which octets follow the end of the coding.
 */
export class Inflater {
  readonly #stream: ZlibStream
  #written: Uint8Array = new Uint8Array()
  #before = 0
  /** True when everything that was written has been decoded and can be pulled. */
  #through = true
  #freed = false
  #wake: () => void = () => {}

  constructor(stream: ZlibStream) {
    this.#stream = stream
    const wake = (): void => this.#wake()
    stream.on('readable', wake).on('error', wake).on('close', wake).once('end', this.#finish)
  }

  readonly #finish = (): void => {
    this.#through = true
    this.#wake()
  }

  /**
   * The octets of the last write that follow the end of the coding. If there are none, the coding may or may not have
   * ended.
   */
  get rest(): Uint8Array {
    return this.#written.subarray(this.#stream.bytesWritten - this.#before)
  }

  /** Writes octets. They are in use until `next` returns null, so write again only after that. */
  write(octets: Uint8Array): void {
    this.#written = octets
    this.#before = this.#stream.bytesWritten
    this.#through = false
    this.#stream.write(octets, this.#finish)
  }

  /** Says that no more octets come. `next` rejects if the coding has not ended. */
  end(): void {
    this.#through = false
    this.#stream.end()
  }

  /**
   * Returns the next decoded octets, which belong to the caller. Null: more must be written first. Rejects with zlib's
   * error.
   */
  async next(): Promise<Uint8Array | null> {
    while (true) {
      if (this.#freed) throw new Error('The inflater was freed.')
      const chunk = this.#stream.read() as Uint8Array | null
      // zlib continues writing into the same memory, so the chunk is copied.
      if (chunk !== null) return new Uint8Array(chunk)
      if (this.#stream.errored) throw this.#stream.errored
      if (this.#through) return null
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }

  /** Frees zlib's memory. A `next` that is running rejects. */
  free(): void {
    this.#freed = true
    this.#stream.destroy()
  }
}
