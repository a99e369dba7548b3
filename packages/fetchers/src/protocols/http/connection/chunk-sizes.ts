/** What comes next: a size, blanks after it, the rest of its line, data with the line end after it, or the trailer. */
type Part = 'size' | 'blanks' | 'line' | 'data' | 'trailer'

const [tab, newline, blank] = [0x09, 0x0a, 0x20]
const carriageReturn = 0x0d
const semicolon = 0x3b

/**
 * Removes the blanks after a chunk's size, which undici refuses: some servers pad the size ("5   "), and RFC 9112 7.1.1
 * permits blanks before an extension. Data is skipped by its length, and passed on without a copy.
 */
export class ChunkSizes {
  #part: Part = 'size'
  #size = 0
  #digits = 0
  /** How many octets of the data and its line end are still to come. */
  #remaining = 0

  /** Returns the octets without such blanks, in order. A piece may be empty. */
  withoutBlanks(octets: Buffer): readonly Buffer[] {
    const pieces: Buffer[] = []
    let from = 0
    let at = 0
    while (at < octets.length) {
      const part = this.#part
      if (part === 'size') {
        at = this.#readSize(octets, at)
        if (this.#part === 'blanks') pieces.push(octets.subarray(from, at))
      } else if (part === 'blanks') {
        at = from = this.#skipBlanks(octets, at)
        // Without a blank, undici would read the next octet as a digit of the size.
        if (this.#part === 'trailer') pieces.push(Buffer.from(' '))
      } else if (part === 'line') at = this.#skipLine(octets, at)
      else if (part === 'data') at = this.#skipData(octets, at)
      else at = octets.length
    }
    pieces.push(octets.subarray(from))
    return pieces
  }

  #readSize(octets: Buffer, start: number): number {
    let at = start
    for (; at < octets.length; at++, this.#digits++) {
      const octet = octets[at] ?? 0
      const digit = hexDigit(octet)
      if (digit < 0) {
        this.#part = isBlank(octet) && this.#digits > 0 ? 'blanks' : 'line'
        return at
      }
      this.#size = this.#size * 16 + digit
    }
    return at
  }

  #skipBlanks(octets: Buffer, start: number): number {
    let at = start
    while (isBlank(octets[at] ?? 0)) at++
    if (at < octets.length) {
      // undici refuses any other octet, so we need not check the rest.
      this.#part = octets[at] === carriageReturn || octets[at] === semicolon ? 'line' : 'trailer'
    }
    return at
  }

  #skipLine(octets: Buffer, start: number): number {
    const end = octets.indexOf(newline, start)
    if (end < 0) return octets.length
    this.#remaining = this.#size + 2
    this.#part = this.#size === 0 ? 'trailer' : 'data'
    this.#size = 0
    this.#digits = 0
    return end + 1
  }

  #skipData(octets: Buffer, start: number): number {
    const skipped = Math.min(this.#remaining, octets.length - start)
    this.#remaining -= skipped
    if (this.#remaining === 0) this.#part = 'size'
    return start + skipped
  }
}

function isBlank(octet: number): boolean {
  return octet === blank || octet === tab
}

function hexDigit(octet: number): number {
  if (octet >= 0x30 && octet <= 0x39) return octet - 0x30
  const letter = octet | 0x20
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1
}
