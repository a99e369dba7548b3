/** An element of BER (X.690 8.1). Its tag may have several octets, its length the indefinite form. */
export interface Node {
  /** The identifier octets as a number, without the bit for the constructed form: 0x9f69. */
  readonly tag: number
  readonly contents: Buffer
  readonly children: readonly Node[]
  /** How many octets the element takes. */
  readonly size: number
}

/** Writes an element. A tag of several octets is given as one number: 0xbf66. */
export function element(tag: number, ...contents: readonly Buffer[]): Buffer {
  const content = Buffer.concat(contents)
  return Buffer.concat([octetsOf(tag), lengthOf(content.length), content])
}

/** Writes an element in the indefinite form. */
export function indefinite(tag: number, ...contents: readonly Buffer[]): Buffer {
  return Buffer.concat([octetsOf(tag), Buffer.from([0x80]), ...contents, Buffer.alloc(2)])
}

export function text(tag: number, value: string | Buffer): Buffer {
  return element(tag, Buffer.from(value))
}

/** An INTEGER of 0 or more. */
export function integer(tag: number, value: number): Buffer {
  const octets = octetsOf(value)
  return element(tag, (octets[0] ?? 0) < 0x80 ? octets : Buffer.concat([Buffer.alloc(1), octets]))
}

export function oid(tag: number, value: string): Buffer {
  const [first = 0, second = 0, ...rest] = value.split('.').map(Number)
  return element(tag, Buffer.from([first * 40 + second, ...rest].flatMap((arc) => base128(arc))))
}

export function readOid({ contents }: Node): string {
  const arcs: number[] = []
  let arc = 0
  for (const octet of contents) {
    arc = arc * 128 + (octet & 0x7f)
    if (octet >= 0x80) continue
    arcs.push(arc)
    arc = 0
  }
  const [first = 0, ...rest] = arcs
  return [Math.floor(first / 40), first % 40, ...rest].join('.')
}

export function readInteger(node: Node | undefined): number {
  return node === undefined || node.contents.length === 0 ? 0 : node.contents.readIntBE(0, node.contents.length)
}

/** The first element at `at`; undefined if it is not complete yet. */
export function readNode(octets: Buffer, at: number = 0): Node | undefined {
  const identifier = octets[at]
  if (identifier === undefined) return undefined
  let next = at + 1
  let tag = identifier & ~0x20
  if ((identifier & 0x1f) === 0x1f) {
    for (let more = true; more; next++) {
      const octet = octets[next]
      if (octet === undefined) return undefined
      tag = tag * 256 + octet
      more = octet >= 0x80
    }
  }
  const first = octets[next++]
  if (first === undefined) return undefined
  const count = first > 0x80 ? first - 0x80 : 0
  if (octets.length < next + count) return undefined
  const length = first === 0x80 ? null : count === 0 ? first : octets.readUIntBE(next, Math.min(count, 6))
  const start = next + count
  const isConstructed = (identifier & 0x20) !== 0
  if (length === null) return untilEnd(octets, at, start, tag)
  const end = start + length
  if (octets.length < end) return undefined
  const contents = octets.subarray(start, end)
  return { tag, contents, children: isConstructed ? readAll(contents) : [], size: end - at }
}

function untilEnd(octets: Buffer, at: number, start: number, tag: number): Node | undefined {
  const children: Node[] = []
  for (let next = start; ; ) {
    if (octets.length < next + 2) return undefined
    if (octets[next] === 0 && octets[next + 1] === 0) {
      return { tag, contents: octets.subarray(start, next), children, size: next + 2 - at }
    }
    const child = readNode(octets, next)
    if (child === undefined) return undefined
    children.push(child)
    next += child.size
  }
}

function readAll(contents: Buffer): Node[] {
  const nodes: Node[] = []
  for (let at = 0; at < contents.length; ) {
    const node = readNode(contents, at)
    if (node === undefined) throw new RangeError('an element is cut')
    nodes.push(node)
    at += node.size
  }
  return nodes
}

function lengthOf(length: number): Buffer {
  if (length < 0x80) return Buffer.from([length])
  const octets = octetsOf(length)
  return Buffer.concat([Buffer.from([0x80 + octets.length]), octets])
}

function octetsOf(value: number): Buffer {
  const octets: number[] = []
  for (let rest = value; rest > 0 || octets.length === 0; rest = Math.floor(rest / 256)) octets.unshift(rest % 256)
  return Buffer.from(octets)
}

function base128(arc: number): number[] {
  const octets = [arc % 128]
  for (let rest = Math.floor(arc / 128); rest > 0; rest = Math.floor(rest / 128)) octets.unshift((rest % 128) + 0x80)
  return octets
}
