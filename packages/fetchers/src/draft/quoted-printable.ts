/** The longest line of quoted-printable text, its soft break included (RFC 2045 6.7). */
const maxLine = 76

/** Writes one line as UTF-8 in quoted-printable (RFC 2045 6.7), with soft line breaks. */
export function quotedPrintable(line: string): string {
  const escaped = [...Buffer.from(line)].map((octet) =>
    octet === 9 || (octet >= 0x20 && octet < 0x7f && octet !== 0x3d) ? String.fromCharCode(octet) : hex(octet),
  )
  // A mail server could remove a blank at the end of a line.
  const last = escaped.at(-1)
  if (last === ' ' || last === '\t') escaped[escaped.length - 1] = hex(last.charCodeAt(0))
  let broken = ''
  let length = 0
  for (const [index, each] of escaped.entries()) {
    const limit = index === escaped.length - 1 ? maxLine : maxLine - 1
    if (length + each.length > limit) {
      broken += '=\r\n'
      length = 0
    }
    broken += each
    length += each.length
  }
  return broken
}

function hex(octet: number): string {
  return `=${octet.toString(16).toUpperCase().padStart(2, '0')}`
}
