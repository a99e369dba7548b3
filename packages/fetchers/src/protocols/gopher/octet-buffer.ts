/** A buffer that grows by doubling, so that many small pieces cost no more than a large one. */
export class OctetBuffer {
  #octets: Uint8Array
  #length = 0

  constructor(capacity = 4096) {
    this.#octets = new Uint8Array(capacity)
  }

  get length(): number {
    return this.#length
  }

  add(octets: Uint8Array): void {
    const length = this.#length + octets.length
    if (length > this.#octets.length) {
      const larger = new Uint8Array(Math.max(length, this.#octets.length * 2))
      larger.set(this.#octets.subarray(0, this.#length))
      this.#octets = larger
    }
    this.#octets.set(octets, this.#length)
    this.#length = length
  }

  /** Returns all octets and empties the buffer. */
  take(): Uint8Array {
    const octets = this.#octets.subarray(0, this.#length)
    this.#octets = new Uint8Array(0)
    this.#length = 0
    return octets
  }
}
