/** Values of XDR (RFC 4506), as octets, one a character. */
export function word(value: number): string {
  return String.fromCharCode((value >>> 24) & 255, (value >>> 16) & 255, (value >>> 8) & 255, value & 255)
}

export function long(value: number): string {
  return word(Math.floor(value / 2 ** 32)) + word(value % 2 ** 32)
}

export function words(...values: readonly number[]): string {
  return values.map(word).join('')
}

export function opaque(octets: string): string {
  return word(octets.length) + octets + '\0'.repeat(-octets.length & 3)
}

/** Reads the arguments of a call. Throws a RangeError if they end too early. */
export class Arguments {
  readonly #octets: string
  #at = 0

  constructor(octets: string) {
    this.#octets = octets
  }

  word(): number {
    const octets = this.fixed(4)
    return [...octets].reduce((value, octet) => value * 256 + octet.charCodeAt(0), 0)
  }

  long(): number {
    return this.word() * 2 ** 32 + this.word()
  }

  fixed(length: number): string {
    const end = this.#at + length
    if (end > this.#octets.length) throw new RangeError('the call ends within a value')
    const taken = this.#octets.slice(this.#at, end)
    this.#at = end
    return taken
  }

  opaque(): string {
    const length = this.word()
    const octets = this.fixed(length)
    this.fixed(-length & 3)
    return octets
  }
}

/** A record of one fragment (RFC 5531 11). */
export function record(octets: string): string {
  return word(0x8000_0000 + octets.length) + octets
}

/** An accepted reply. Status 0 is SUCCESS, with the results; 1 to 5 are in RFC 5531 9. */
export function answer(xid: number, results: string, status = 0): string {
  return record(words(xid, 1, 0, 0, 0, status) + results)
}
