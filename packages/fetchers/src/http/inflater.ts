import type { Transform } from 'node:stream'

/** A stream of node:zlib that decompresses. */
export type ZlibStream = Transform & { readonly bytesWritten: number }

/**
 * A zlib stream worked by hand: octets are written, what they decode to is pulled, and no more is decoded than is pulled (but for the
 * one chunk that zlib is ahead). By hand, because zlib streams lose what follows the end of a coding, and never call back for it.
 */
export class Inflater {
  readonly #stream: ZlibStream
  #written: Uint8Array = new Uint8Array()
  #before = 0
  /** All that was written has been decoded, and can be pulled. */
  #through = true
  #over = false
  #wake: () => void = () => {}

  constructor(stream: ZlibStream) {
    this.#stream = stream
    const wake = (): void => this.#wake()
    stream.on('readable', wake).on('error', wake).on('close', wake)
    stream.once('end', () => {
      this.#over = true
      this.#wake()
    })
  }

  /** Whether the end of the coding has come. Where it came with the last octet of a write, the next write or `end` tells. */
  get over(): boolean {
    return this.#over
  }

  /** Of what was written last, the octets after the end of the coding; nothing where it has not ended. */
  get rest(): Uint8Array {
    return this.#over ? this.#written.subarray(this.#stream.bytesWritten - this.#before) : new Uint8Array()
  }

  /** Pull all by `next` before the next write: the octets are used until then. */
  write(octets: Uint8Array): void {
    this.#written = octets
    this.#before = this.#stream.bytesWritten
    this.#through = false
    this.#stream.write(octets, () => {
      this.#through = true
      this.#wake()
    })
  }

  /** No more octets come: `next` rejects where the coding has no end yet. */
  end(): void {
    this.#through = false
    this.#stream.end()
  }

  /** The next decoded octets, the caller's own; null where there are none without more octets. Rejects with zlib's error. */
  async next(): Promise<Uint8Array | null> {
    while (true) {
      const chunk = this.#stream.read() as Uint8Array | null
      // A copy: zlib goes on to write into the same memory.
      if (chunk !== null) return new Uint8Array(chunk)
      if (this.#over) return null
      if (this.#stream.errored) throw this.#stream.errored
      if (this.#stream.destroyed) throw new Error('The inflater was freed.')
      if (this.#through) return null
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }

  /** Gives zlib's memory back; a `next` under way rejects. */
  free(): void {
    this.#stream.destroy()
  }
}
