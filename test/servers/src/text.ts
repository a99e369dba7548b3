/** Conversions between a file's lines and those of a protocol. Strings hold one char an octet. */

const CR = 0x0d
const LF = 0x0a

/** Turns LF into CRLF, unless a CR already precedes it (RFC 959, 3.1.1.1: ASCII type). */
export function* crlfChunks(chunks: Iterable<Uint8Array>): Iterable<Uint8Array> {
  let last = 0
  for (const chunk of chunks) {
    const out = Buffer.allocUnsafe(chunk.length * 2)
    let length = 0
    for (const octet of chunk) {
      if (octet === LF && last !== CR) out[length++] = CR
      out[length++] = octet
      last = octet
    }
    yield out.subarray(0, length)
  }
}

/** All octets but the first `count`. */
export function* withoutFirst(chunks: Iterable<Uint8Array>, count: number): Iterable<Uint8Array> {
  let left = count
  for (const chunk of chunks) {
    if (left < chunk.length) yield chunk.subarray(left)
    left = Math.max(0, left - chunk.length)
  }
}

export function latin1(chunks: Iterable<Uint8Array>): string {
  return Buffer.concat([...chunks]).toString('latin1')
}

/** A block of lines: dots are doubled, and a line that is a dot ends it (RFC 3977, 3.1.1; RFC 1436, 3.8). */
export function dotBlock(text: string): string {
  const lines = text.replaceAll('\r\n', '\n').split('\n')
  if (lines.at(-1) === '') lines.pop()
  return `${lines.map((line) => `${line.startsWith('.') ? '.' : ''}${line}\r\n`).join('')}.\r\n`
}

/** Text as its UTF-8 octets, one char each. */
export function octets(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1')
}

/** Percent-encodes all octets but unreserved ones and those in `keep`. */
export function percentEncode(text: string, keep: string): string {
  return text.replace(/[^A-Za-z0-9\-._~]/g, (char) =>
    keep.includes(char) ? char : `%${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  )
}

/** Turns `%FF` into the octet FF. Anything that is no escape stays. */
export function percentDecode(text: string): string {
  return text.replace(/%([0-9A-Fa-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
}

/** The time as 20010203040506, in UTC (RFC 3659, 2.3). */
export function timeDigits(date: Date): string {
  return date.toISOString().replace(/\D/g, '').slice(0, 14)
}
