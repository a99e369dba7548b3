/** Elements of BER (X.690 8) as sent: one octet a character. A tag is written as its identifier octets. */

/** An element (X.690 8.1): the octets of its tag, its length, its contents. */
export function berElement(tag: string, ...contents: readonly string[]): string {
  const octets = contents.join('')
  return tag + berLength(octets.length) + octets
}

function berLength(length: number): string {
  if (length < 0x80) return String.fromCharCode(length)
  const octets = uint(length)
  return String.fromCharCode(0x80 + octets.length) + octets
}

/** A number of 0 or more, in as few octets as possible. */
function uint(value: number): string {
  return (value > 255 ? uint(Math.floor(value / 256)) : '') + String.fromCharCode(value % 256)
}

/** The contents of an INTEGER of 0 or more. Its first bit is the sign, so it must be 0. */
export function berInteger(value: number): string {
  const octets = uint(value)
  return octets >= '\x80' ? `\0${octets}` : octets
}

/** The contents of an OBJECT IDENTIFIER (X.690 8.19); undefined if the text is none. */
export function berOid(oid: string): string | undefined {
  const [first = 0, second = 0, ...rest] = oid.split('.').map(Number)
  if (!/^[0-2](?:\.(?:0|[1-9]\d{0,8})){2,30}$/.test(oid) || second > 39) return undefined
  return [first * 40 + second, ...rest].map((arc) => base128(arc)).join('')
}

function base128(arc: number, more: number = 0): string {
  return (arc > 127 ? base128(Math.floor(arc / 128), 0x80) : '') + String.fromCharCode((arc % 128) + more)
}

/** Elements that berElement() made, in hexadecimal digits, with texts in quotes: `91 07 "default"`. */
export function berReading(octets: string): string {
  const shown: string[] = []
  const code = (at: number): number => octets.charCodeAt(at)
  for (let at = 0; at < octets.length; ) {
    const isConstructed = (code(at) & 0x20) !== 0
    let next = at + 1
    if ((code(at) & 0x1f) === 0x1f) while (code(next++) > 0x7f);
    shown.push(hexOf(octets.slice(at, next)))
    const count = Math.max(code(next) - 0x80, 0)
    const start = next + 1 + count
    const length = count === 0 ? code(next) : Number.parseInt(hexOf(octets.slice(next + 1, start)), 16)
    const contents = octets.slice(start, start + length)
    const isText = contents.length > 2 && /^[ -~]*$/.test(contents)
    shown.push(hexOf(octets.slice(next, start)))
    if (length > 0) shown.push(isConstructed ? berReading(contents) : isText ? `"${contents}"` : hexOf(contents))
    at = start + length
  }
  return shown.join(' ')
}

/** Two hexadecimal digits for each octet. */
export function hexOf(octets: string): string {
  return octets.replace(/[\0-\xFF]/g, (octet) => octet.charCodeAt(0).toString(16).padStart(2, '0'))
}
