import { BerError, headerAt, maxDepth } from './ber.ts'

/** The most elements of one message: a hundred records of a thousand elements each. */
const maxElements = 131_072

/** An element of BER with all that is in it. Tags may have several octets, and lengths may be indefinite. */
export class BerNode {
  /** The class and number without the form, as universal() and context() give them. */
  readonly tag: number
  /** The octets of a primitive element, or all child elements of a constructed one as they were sent. */
  readonly contents: Uint8Array
  /** Undefined if the element is primitive. */
  readonly children: readonly BerNode[] | undefined

  constructor(tag: number, contents: Uint8Array, children: readonly BerNode[] | undefined) {
    this.tag = tag
    this.contents = contents
    this.children = children
  }

  /** Returns the first direct child with this tag. */
  child(tag: number): BerNode | undefined {
    return this.children?.find((each) => each.tag === tag)
  }

  /** Returns the first direct child with this tag. Throws BerError if there is none. */
  needed(tag: number, what: string): BerNode {
    return this.child(tag) ?? missing(what)
  }

  /** Returns the octets of a string, and joins the segments if it was sent in segments (X.690 8.7.3). */
  octets(): Uint8Array {
    if (this.children === undefined) return this.contents
    return Buffer.concat(this.children.map((segment) => segment.octets()))
  }

  /** Returns the value of an INTEGER. Throws BerError if it is not a safe integer. */
  integer(): number {
    const { contents } = this
    if (this.children !== undefined || contents.length === 0) throw new BerError('a number has no octets')
    if (contents.length > 6) throw new BerError('a number is out of range')
    return Buffer.from(contents.buffer, contents.byteOffset, contents.length).readIntBE(0, contents.length)
  }

  boolean(): boolean {
    if (this.children !== undefined || this.contents.length !== 1) throw new BerError('a truth value has not one octet')
    return this.contents[0] !== 0
  }

  /** Returns the value of an OBJECT IDENTIFIER, such as `1.2.840.10003.5.10`. */
  oid(): string {
    const arcs: number[] = []
    let arc = 0
    for (const octet of this.contents) {
      arc = arc * 128 + (octet & 0x7f)
      if (arc > Number.MAX_SAFE_INTEGER || arcs.length > 64) throw new BerError('an object identifier is too long')
      if (octet >= 0x80) continue
      arcs.push(arc)
      arc = 0
    }
    const [first = 0, ...rest] = arcs
    if (arcs.length === 0 || this.children !== undefined) throw new BerError('an object identifier is empty')
    const top = Math.min(Math.floor(first / 40), 2)
    return [top, first - top * 40, ...rest].join('.')
  }
}

/** Tags of the class UNIVERSAL. */
export const universal = {
  boolean: 1,
  integer: 2,
  octetString: 4,
  null: 5,
  oid: 6,
  external: 8,
  sequence: 16,
  visibleString: 26,
  generalizedTime: 24,
  generalString: 27,
} as const

const classSize = 0x1_000_0000

/** Returns the tag of a context-specific element. */
export function context(number: number): number {
  return 2 * classSize + number
}

function missing(what: string): never {
  throw new BerError(`${what} is missing`)
}

/**
 * Reads octets that are exactly one element. Throws BerError if a length is wrong, if elements nest deeper than 64, if
 * there are more than 131,072 of them, or if octets follow the element.
 */
export function readTree(octets: Uint8Array): BerNode {
  const reader = new TreeReader(octets)
  const [node, end] = reader.element(0, octets.length, 0)
  if (end !== octets.length) throw new BerError('octets stand behind its end')
  return node
}

class TreeReader {
  readonly #octets: Uint8Array
  #left = maxElements

  constructor(octets: Uint8Array) {
    this.#octets = octets
  }

  /** Returns the element at `at` and the position after it, which is at most `limit`. */
  element(at: number, limit: number, depth: number): [node: BerNode, end: number] {
    if (depth > maxDepth) throw new BerError(`it nests deeper than ${maxDepth}`)
    if (--this.#left < 0) throw new BerError(`it has over ${maxElements} elements`)
    const header = headerAt(this.#octets, at)
    if (header === undefined || header.start > limit) throw new BerError('an element is longer than its place')
    const { identifier, tagNumber, start, length } = header
    const tag = (identifier >> 6) * classSize + tagNumber
    const isConstructed = (identifier & 0x20) !== 0
    if (length === null) {
      if (!isConstructed) throw new BerError('a primitive element has no length')
      return this.#untilEnd(tag, start, limit, depth)
    }
    const end = start + length
    if (end > limit) throw new BerError('an element is longer than its place')
    const contents = this.#octets.subarray(start, end)
    if (!isConstructed) return [new BerNode(tag, contents, undefined), end]
    const children: BerNode[] = []
    for (let next = start; next < end; ) {
      const [child, after] = this.element(next, end, depth + 1)
      children.push(child)
      next = after
    }
    return [new BerNode(tag, contents, children), end]
  }

  /** Reads an element of indefinite length: two zero octets end its contents (X.690 8.1.5). */
  #untilEnd(tag: number, start: number, limit: number, depth: number): [node: BerNode, end: number] {
    const children: BerNode[] = []
    for (let next = start; ; ) {
      if (next + 2 > limit) throw new BerError('contents have no end')
      if (this.#octets[next] === 0 && this.#octets[next + 1] === 0) {
        return [new BerNode(tag, this.#octets.subarray(start, next), children), next + 2]
      }
      const [child, after] = this.element(next, limit, depth + 1)
      children.push(child)
      next = after
    }
  }
}
