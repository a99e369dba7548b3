/** A received element of BER (X.690 8.1): its tag, its contents, and the octets behind it. */
export interface Element {
  readonly tag: number
  readonly contents: Buffer
  readonly rest: Buffer
}

/** Writes an element: its tag, its length in the shortest form, and its contents, joined. */
export function element(tag: number, ...contents: readonly Buffer[]): Buffer {
  const content = Buffer.concat(contents)
  return Buffer.concat([Buffer.from([tag, ...lengthOctets(content.length)]), content])
}

function lengthOctets(length: number): number[] {
  if (length < 0x80) return [length]
  const octets: number[] = []
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) octets.unshift(rest % 256)
  return [0x80 + octets.length, ...octets]
}

export function octetString(text: string | Buffer, tag = 0x04): Buffer {
  return element(tag, Buffer.from(text))
}

/** An INTEGER from 0 to 2147483647, or with another tag an ENUMERATED. */
export function integer(value: number, tag = 0x02): Buffer {
  const octets = Buffer.alloc(5)
  octets.writeUInt32BE(value, 1)
  const first = octets.findIndex((octet, index) => octet !== 0 || index === 4)
  // A first bit of 1 would be a sign, so an octet 0 goes before it.
  return element(tag, octets.subarray((octets[first] ?? 0) < 0x80 ? first : first - 1))
}

/** The first element of the octets; undefined if it is not complete yet. */
export function firstElement(octets: Buffer): Element | undefined {
  const [tag, first] = octets
  if (tag === undefined || first === undefined) return undefined
  const count = first < 0x80 ? 0 : first - 0x80
  if (count > 4) throw new RangeError('a length has over four octets')
  if (octets.length < 2 + count) return undefined
  const length = count === 0 ? first : octets.readUIntBE(2, count)
  const start = 2 + count
  if (octets.length < start + length) return undefined
  return { tag, contents: octets.subarray(start, start + length), rest: octets.subarray(start + length) }
}

/** All elements in the octets. */
export function elementsIn(octets: Buffer): Element[] {
  const elements: Element[] = []
  for (let rest = octets; rest.length > 0; ) {
    const next = firstElement(rest)
    if (next === undefined) throw new RangeError('an element is cut')
    elements.push(next)
    rest = next.rest
  }
  return elements
}

export function integerOf({ contents }: Element): number {
  return contents.length === 0 ? 0 : contents.readUIntBE(0, Math.min(contents.length, 6))
}
