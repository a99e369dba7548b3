import type { Transform } from 'node:stream'

/** A stream of node:zlib that decompresses. */
export type ZlibStream = Transform & { readonly bytesWritten: number }

/**
 * A zlib stream worked by hand: octets are written, what they decode to is pulled, and no more is decoded than is
 * pulled (but for the one chunk that zlib is ahead). By hand, because a zlib stream says nothing of octets that follow
 * the end of the coding.
 */
export class Inflater {
  readonly #stream: ZlibStream
  #written: Uint8Array = new Uint8Array()
  #before = 0
  /** All that was written has been decoded, and can be pulled. */
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
   * Of what was written last and has been pulled, the octets after the end of the coding. None: it may have ended, or
   * not.
   */
  get rest(): Uint8Array {
    return this.#written.subarray(this.#stream.bytesWritten - this.#before)
  }

  /** Pull all by `next` before the next write: the octets are used until then. */
  write(octets: Uint8Array): void {
    this.#written = octets
    this.#before = this.#stream.bytesWritten
    this.#through = false
    this.#stream.write(octets, this.#finish)
  }

  /** No more octets come: `next` rejects where the coding has not ended. */
  end(): void {
    this.#through = false
    this.#stream.end()
  }

  /**
   * The next decoded octets, the caller's own; null where there are none without more octets. Rejects with zlib's
   * error.
   */
  async next(): Promise<Uint8Array | null> {
    while (true) {
      if (this.#freed) throw new Error('The inflater was freed.')
      const chunk = this.#stream.read() as Uint8Array | null
      // A copy: zlib goes on to write into the same memory.
      if (chunk !== null) return new Uint8Array(chunk)
      if (this.#stream.errored) throw this.#stream.errored
      if (this.#through) return null
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }

  /** Gives zlib's memory back; a `next` under way rejects. */
  free(): void {
    this.#freed = true
    this.#stream.destroy()
  }
}
