/**
 * What comes next: octets of a size, blanks behind one, the rest of its line, data with the line end behind it, or
 * the trailer.
 */
type Part = 'size' | 'blanks' | 'line' | 'data' | 'trailer'

const [tab, newline, blank] = [0x09, 0x0a, 0x20]
const carriageReturn = 0x0d
const semicolon = 0x3b

/**
 * Takes out the blanks that some servers fill a chunk's size up with ("5   "), and that may stand before an extension
 * (RFC 9112 7.1.1): undici takes none there. Data is passed over by its length, and handed on as it lies in memory.
 */
export class ChunkSizes {
  #part: Part = 'size'
  #size = 0
  #digits = 0
  /** Of the data and its line end, what is still to come. */
  #left = 0

  /** The octets without such blanks, in order. */
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
        at = from = this.#passBlanks(octets, at)
        // Behind blanks, anything else would be taken for more of the size.
        if (this.#part === 'trailer') pieces.push(Buffer.from(' '))
      } else if (part === 'line') at = this.#passLine(octets, at)
      else if (part === 'data') at = this.#passData(octets, at)
      else at = octets.length
    }
    if (this.#part !== 'blanks') pieces.push(octets.subarray(from))
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

  #passBlanks(octets: Buffer, start: number): number {
    let at = start
    while (at < octets.length && isBlank(octets[at] ?? 0)) at++
    if (at < octets.length) {
      // What breaks the rules is undici's to refuse: there is nothing more to do here.
      this.#part = octets[at] === carriageReturn || octets[at] === semicolon ? 'line' : 'trailer'
    }
    return at
  }

  #passLine(octets: Buffer, start: number): number {
    // Nearly always, the line ends here; a search would take longer.
    const isCrlf = octets[start] === carriageReturn && octets[start + 1] === newline
    const end = isCrlf ? start + 1 : octets.indexOf(newline, start)
    if (end < 0) return octets.length
    this.#left = this.#size + 2
    this.#part = this.#size === 0 ? 'trailer' : 'data'
    this.#size = 0
    this.#digits = 0
    return end + 1
  }

  #passData(octets: Buffer, start: number): number {
    const passed = Math.min(this.#left, octets.length - start)
    this.#left -= passed
    if (this.#left === 0) this.#part = 'size'
    return start + passed
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
