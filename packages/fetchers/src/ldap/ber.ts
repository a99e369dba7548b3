/** The frame of BER elements (X.690 8.1), as far as LDAP allows it (RFC 4511 5.1). */

/** The tag of an element, and the place of its contents. */
export interface Element {
  readonly tag: number
  readonly start: number
  readonly end: number
}

/** Deeper nesting serves no message of LDAP (security.md case 63: BER that nests without end). */
const maxDepth = 64

/**
 * The most elements of one message: half a million members of a group. Each of them takes far more memory than the two
 * octets that are enough to send it.
 */
const maxElements = 524_288

/** Octets that are no BER; the message completes the sentence "The answer is no LDAP: ...". */
export class BerError extends Error {}

/**
 * The element that begins at an octet; undefined: more octets are needed to know its length. Throws BerError for a
 * length of the indefinite form, or of over four octets, and for a tag of several octets: LDAP has none of them.
 */
export function elementAt(octets: Uint8Array, at: number): Element | undefined {
  const tag = octets[at]
  const first = octets[at + 1]
  if (tag !== undefined && (tag & 0x1f) === 0x1f) throw new BerError('a tag has several octets')
  if (tag === undefined || first === undefined) return undefined
  if (first < 0x80) return { tag, start: at + 2, end: at + 2 + first }
  const count = first - 0x80
  if (count === 0) throw new BerError('a length is of the indefinite form')
  if (count > 4) throw new BerError(`a length has ${count} octets`)
  const start = at + 2 + count
  if (start > octets.length) return undefined
  let length = 0
  // Multiplication, since a shift of four octets could become negative.
  for (const octet of octets.subarray(at + 2, start)) length = length * 256 + octet
  return { tag, start, end: start + length }
}

/**
 * Throws BerError unless the octets are elements that fill them exactly, and so on within each constructed one. A reader
 * that trusts lengths may read them then.
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
