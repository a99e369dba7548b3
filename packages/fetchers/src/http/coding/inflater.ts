import type { Transform } from 'node:stream'

/** A stream of node:zlib that decompresses. */
export type ZlibStream = Transform & { readonly bytesWritten: number }

/**
 * Drives a zlib stream by single writes and reads, since the stream alone does not report octets after the end of the
 * coding. It decodes at most one chunk more than is read.
 */
export class Inflater {
  readonly #stream: ZlibStream
  #written: Uint8Array = new Uint8Array()
  #before = 0
  /** All that was written has been decoded. */
  #isDecoded = true
  #freed = false
  #wake: () => void = () => {}

  constructor(stream: ZlibStream) {
    this.#stream = stream
    const wake = (): void => this.#wake()
    stream.on('readable', wake).on('error', wake).on('close', wake).once('end', this.#finish)
  }

  readonly #finish = (): void => {
    this.#isDecoded = true
    this.#wake()
  }

  /** The octets of the last write after the end of the coding. If there are none, it may have ended or not. */
  get rest(): Uint8Array {
    return this.#written.subarray(this.#stream.bytesWritten - this.#before)
  }

  /** Read all by `next` before the next write: the octets are used until then. */
  write(octets: Uint8Array): void {
    this.#written = octets
    this.#before = this.#stream.bytesWritten
    this.#isDecoded = false
    this.#stream.write(octets, this.#finish)
  }

  /** No more octets come: `next` rejects if the coding has not ended. */
  end(): void {
    this.#isDecoded = false
    this.#stream.end()
  }

  /** The next decoded octets, which belong to the caller; null if more must be written. Rejects with zlib's error. */
  async next(): Promise<Uint8Array | null> {
    while (true) {
      if (this.#freed) throw new Error('The inflater was freed.')
      const chunk = this.#stream.read() as Uint8Array | null
      // A copy, since zlib writes the next chunk into the same memory.
      if (chunk !== null) return new Uint8Array(chunk)
      if (this.#stream.errored) throw this.#stream.errored
      if (this.#isDecoded) return null
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }

  /** Frees zlib's memory; a `next` under way rejects. */
  free(): void {
    this.#freed = true
    this.#stream.destroy()
  }
}
