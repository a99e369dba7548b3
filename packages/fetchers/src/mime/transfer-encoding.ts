/** Decodes a Content-Transfer-Encoding (RFC 2045 6). Octets in an unknown one stay as they are. */
export function decodeTransfer(octets: Buffer, encoding: string): Buffer {
  switch (encoding) {
    case 'base64':
      return base64(octets)
    case 'quoted-printable':
      return quotedPrintable(octets)
    default:
      return octets
  }
}

/**
 * Decodes base64 and ignores other characters (RFC 2045 6.8). Some mailers pad each line, and Node would stop at the
 * first padding.
 */
function base64(octets: Buffer): Buffer {
  const text = octets.toString('latin1').replace(/[^A-Za-z0-9+/=]+/g, '')
  const decoded = Buffer.allocUnsafe(Math.ceil((text.length * 3) / 4))
  let length = 0
  for (let start = 0; start < text.length; ) {
    const padding = text.indexOf('=', start)
    const end = padding === -1 ? text.length : padding
    // All pieces go into one Buffer: `A=A=...` would otherwise make a Buffer for every two characters.
    if (end > start) length += decoded.write(text.slice(start, end), length, 'base64')
    start = end + 1
  }
  return decoded.subarray(0, length)
}

const equals = 0x3d
const lf = 0x0a
const cr = 0x0d

/**
 * Decodes quoted-printable (RFC 2045 6.7). An invalid escape stays as it is. Blanks before a line end are removed,
 * because transport added them (rule 3).
 */
function quotedPrintable(octets: Buffer): Buffer {
  const decoded = Buffer.allocUnsafe(octets.length)
  let length = 0
  for (let start = 0; start < octets.length; ) {
    const next = octets.indexOf(lf, start) + 1 || octets.length
    const end = endOfText(octets, start, next)
    const isSoft = octets[end - 1] === equals && end > start
    for (let at = start; at < (isSoft ? end - 1 : end); at++) {
      const octet = octets[at] === equals ? escaped(octets, at, end) : null
      if (octet !== null) at += 2
      decoded[length++] = octet ?? octets[at] ?? 0
    }
    if (!isSoft) {
      const lineEnd = octets[next - 2] === cr ? next - 2 : next - 1
      if (octets[next - 1] === lf) length += octets.copy(decoded, length, lineEnd, next)
    }
    start = next
  }
  return decoded.subarray(0, length)
}

/** Returns the position from which the line has only blanks and its end. */
function endOfText(octets: Buffer, start: number, next: number): number {
  let end = next
  while (end > start && isBlank(octets[end - 1])) end--
  return end
}

function isBlank(octet: number | undefined): boolean {
  return octet === lf || octet === cr || octet === 0x20 || octet === 0x09
}

function escaped(octets: Buffer, at: number, end: number): number | null {
  const hex = at + 2 < end ? octets.toString('latin1', at + 1, at + 3) : ''
  return /^[\dA-F]{2}$/i.test(hex) ? Number.parseInt(hex, 16) : null
}
