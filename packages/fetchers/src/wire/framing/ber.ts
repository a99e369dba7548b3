/** The frame of BER elements (X.690 8.1). */

/** No message of LDAP or Z39.50 needs deeper nesting (threats.md case 63: BER that nests without end). */
export const maxDepth = 64

/** The octets are no BER. The message completes the sentence "The answer is no LDAP: ...". */
export class BerError extends Error {}

/** The beginning of an element. */
export interface Header {
  /** The first identifier octet: class, form, and a tag number below 31. */
  readonly identifier: number
  readonly tagNumber: number
  /** The position at which the contents begin. */
  readonly start: number
  /** Null for the indefinite form, which the end-of-contents octets end. */
  readonly length: number | null
}

/**
 * Reads the header that begins at an octet. Returns undefined if more octets are needed. Throws BerError for a tag or a
 * length of over four octets.
 */
export function headerAt(octets: Uint8Array, at: number): Header | undefined {
  const identifier = octets[at]
  if (identifier === undefined) return undefined
  let tagNumber = identifier & 0x1f
  let next = at + 1
  if (tagNumber === 0x1f) {
    tagNumber = 0
    for (let more = true; more; next++) {
      const octet = octets[next]
      if (octet === undefined) return undefined
      if (next - at > 3) throw new BerError('a tag has over four octets')
      tagNumber = tagNumber * 128 + (octet & 0x7f)
      more = octet >= 0x80
    }
  }
  const first = octets[next]
  if (first === undefined) return undefined
  if (first < 0x80) return { identifier, tagNumber, start: next + 1, length: first }
  const count = first - 0x80
  if (count === 0) return { identifier, tagNumber, start: next + 1, length: null }
  if (count > 4) throw new BerError(`a length has ${count} octets`)
  const start = next + 1 + count
  if (start > octets.length) return undefined
  let length = 0
  // Multiplies, because a shift of four octets could give a negative number.
  for (const octet of octets.subarray(next + 1, start)) length = length * 256 + octet
  return { identifier, tagNumber, start, length }
}

/** The tag of an LDAP element, and where its contents are. */
export interface Element {
  readonly tag: number
  readonly start: number
  readonly end: number
}

/**
 * The most elements of one message: a group of half a million members needs as many. A server sends an element in two
 * octets, but each takes far more memory here, so there is a limit.
 */
const maxElements = 524_288

/**
 * Reads the element that begins at an octet. Returns undefined if more octets are needed to know its length. Throws
 * BerError for the indefinite form, a length of over four octets, or a tag of several octets: LDAP has none of them
 * (RFC 4511 5.1).
 */
export function elementAt(octets: Uint8Array, at: number): Element | undefined {
  const tag = octets[at]
  if (tag !== undefined && (tag & 0x1f) === 0x1f) throw new BerError('a tag has several octets')
  const header = headerAt(octets, at)
  if (header === undefined) return undefined
  if (header.length === null) throw new BerError('a length is of the indefinite form')
  return { tag: header.identifier, start: header.start, end: header.start + header.length }
}

/**
 * Throws BerError unless LDAP elements fill the octets exactly, at each level. After this check, a reader may trust the
 * lengths.
 */
export function checkElements(octets: Uint8Array): void {
  let left = maxElements
  const check = (start: number, end: number, depth: number): void => {
    if (depth > maxDepth) throw new BerError(`it nests deeper than ${maxDepth}`)
    for (let at = start; at < end; ) {
      const element = elementAt(octets, at)
      if (element === undefined || element.end > end) throw new BerError('an element is longer than its place')
      if (--left < 0) throw new BerError(`it has over ${maxElements} elements`)
      if ((element.tag & 0x20) !== 0) check(element.start, element.end, depth + 1)
      at = element.end
    }
  }
  check(0, octets.length, 0)
}

/**
 * Finds the end of the element that begins a stream, where lengths may be indefinite. It remembers how far it looked,
 * so that it looks at each octet once even if octets arrive one by one.
 */
export class ElementEnd {
  #at = 0
  /** How many elements of indefinite length are open. */
  #open = 0
  #isFound = false

  /** The position up to which find() knows the elements; it may lie beyond the octets that have arrived. */
  get reached(): number {
    return this.#at
  }

  /**
   * Returns the position after the element, perhaps beyond these octets, or undefined if more octets are needed. Throws
   * BerError.
   */
  find(octets: Uint8Array): number | undefined {
    while (!this.#isFound) {
      if (this.#open > 0 && octets[this.#at] === 0 && octets[this.#at + 1] === 0) {
        this.#open--
        this.#at += 2
      } else {
        const header = headerAt(octets, this.#at)
        if (header === undefined) return undefined
        this.#enter(header)
      }
      this.#isFound = this.#open === 0
    }
    return this.#at
  }

  #enter({ identifier, start, length }: Header): void {
    if (length !== null) {
      this.#at = start + length
      return
    }
    if ((identifier & 0x20) === 0) throw new BerError('a primitive element has no length')
    if (++this.#open > maxDepth) throw new BerError(`it nests deeper than ${maxDepth}`)
    this.#at = start
  }
}
