import { BerError, headerAt, maxDepth } from './ber.ts'

/** The most elements of one message: a hundred records of a thousand elements each. */
const maxElements = 131_072

/** An element of BER with all that is in it: tags of several octets and indefinite lengths are allowed. */
export class BerNode {
  /** The class and number, as universal() and context() give them; without the form. */
  readonly tag: number
  /** The contents: of a primitive element its octets; of a constructed one all its elements, as they were sent. */
  readonly contents: Uint8Array
  /** Undefined: the element is primitive. */
  readonly children: readonly BerNode[] | undefined

  constructor(tag: number, contents: Uint8Array, children: readonly BerNode[] | undefined) {
    this.tag = tag
    this.contents = contents
    this.children = children
  }

  /** The first element of this tag directly in this one. */
  child(tag: number): BerNode | undefined {
    return this.children?.find((each) => each.tag === tag)
  }

  /** The element of this tag. Throws BerError if there is none. */
  needed(tag: number, what: string): BerNode {
    return this.child(tag) ?? missing(what)
  }

  /** The octets of a string, also of one that was sent in segments (X.690 8.7.3). */
  octets(): Uint8Array {
    if (this.children === undefined) return this.contents
    return Buffer.concat(this.children.map((segment) => segment.octets()))
  }

  /** The value of an INTEGER within the safe range. Throws BerError for another one. */
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

  /** The value of an OBJECT IDENTIFIER: `1.2.840.10003.5.10`. */
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

/** The tag of a context-specific element. */
export function context(number: number): number {
  return 2 * classSize + number
}

function missing(what: string): never {
  throw new BerError(`${what} is missing`)
}

/**
 * Reads the one element that the octets are. Throws BerError for lengths that lie, nesting deeper than 64, more than
 * 131,072 elements, and octets behind the element.
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

  /** The element at a place, and the place behind it, which is not beyond `limit`. */
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

  /** An element of indefinite length: its contents end with two octets that are 0 (X.690 8.1.5). */
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
