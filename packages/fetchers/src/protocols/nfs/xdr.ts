/** Octets, one a character, do not follow XDR or the protocol's definition. */
export class XdrError extends Error {}

/** Encodes an unsigned integer of 32 bits (RFC 4506 4.2). */
export function word(value: number): string {
  return String.fromCharCode((value >>> 24) & 255, (value >>> 16) & 255, (value >>> 8) & 255, value & 255)
}

/** Encodes an unsigned integer of 64 bits (RFC 4506 4.5). `value` is a safe integer. */
export function longWord(value: number): string {
  return word(Math.floor(value / 2 ** 32)) + word(value % 2 ** 32)
}

/** Encodes octets with their length before them, padded to a multiple of four (RFC 4506 4.10). */
export function opaque(octets: string): string {
  return word(octets.length) + octets + '\0'.repeat(-octets.length & 3)
}

/** Reads the values of one message in order. Each method throws XdrError if the message does not hold one. */
export class XdrReader {
  readonly #octets: Buffer
  #at = 0

  constructor(octets: Buffer) {
    this.#octets = octets
  }

  word(): number {
    return this.#take(4).readUInt32BE(0)
  }

  signedWord(): number {
    return this.#take(4).readInt32BE(0)
  }

  /** Reads 64 bits as they are, for values that are sent back unread: cookies, verifiers. */
  eight(): string {
    return this.fixed(8)
  }

  /** Reads a size of 64 bits. Throws for one over 2^53, which no file has. */
  size(): number {
    const value = this.#take(8).readBigUInt64BE(0)
    if (value > BigInt(Number.MAX_SAFE_INTEGER)) throw new XdrError(`a size of ${value}`)
    return Number(value)
  }

  /** Reads an unsigned integer of 64 bits as decimal digits. */
  digits(): string {
    return this.#take(8).readBigUInt64BE(0).toString()
  }

  flag(): boolean {
    const value = this.word()
    if (value > 1) throw new XdrError(`${value} where 0 or 1 must stand`)
    return value === 1
  }

  /** Reads octets of a fixed length, a multiple of four, one a character. */
  fixed(length: number): string {
    return this.#take(length).toString('latin1')
  }

  /** Reads a string or opaque value of at most `most` octets, one a character. */
  opaque(most: number): string {
    return this.bytes(most).toString('latin1')
  }

  /** Reads the same as octets in the message's own memory. */
  bytes(most: number): Buffer {
    const length = this.word()
    if (length > most) throw new XdrError(`a value of ${length} octets, but at most ${most} are allowed`)
    const octets = this.#take(length)
    this.#take(-length & 3)
    return octets
  }

  #take(length: number): Buffer {
    const end = this.#at + length
    if (end > this.#octets.length) throw new XdrError('it ends within a value')
    const taken = this.#octets.subarray(this.#at, end)
    this.#at = end
    return taken
  }
}
