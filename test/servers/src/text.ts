/** Conversions between a file's lines and those of a protocol. Strings hold one char an octet. */

const CR = 0x0d
const LF = 0x0a

/** LF to CRLF, where no CR stands before it (RFC 959, 3.1.1.1: ASCII type). */
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

/** All but the first `count` octets. */
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

/** A block of lines with dots doubled and the line that is a dot at its end (RFC 3977, 3.1.1; RFC 1436, 3.8). */
export function dotBlock(text: string): string {
  const lines = text.replaceAll('\r\n', '\n').split('\n')
  if (lines.at(-1) === '') lines.pop()
  return `${lines.map((line) => `${line.startsWith('.') ? '.' : ''}${line}\r\n`).join('')}.\r\n`
}

/** Text as its UTF-8 octets, one char each. */
export function octets(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1')
}

/** Percent-encodes all but unreserved octets and those in `keep`. */
export function percentEncode(text: string, keep: string): string {
  return text.replace(/[^A-Za-z0-9\-._~]/g, (char) =>
    keep.includes(char) ? char : `%${char.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`,
  )
}

/** `%FF` to the octet FF; anything that is no escape stays. */
export function percentDecode(text: string): string {
  return text.replace(/%([0-9A-Fa-f]{2})/g, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
}

/** 20010203040506, UTC (RFC 3659, 2.3). */
export function timeDigits(date: Date): string {
  return date.toISOString().replace(/\D/g, '').slice(0, 14)
}
