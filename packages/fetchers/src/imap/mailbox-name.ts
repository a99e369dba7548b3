/** Writes a mailbox's name in modified UTF-7 (RFC 3501 5.1.3). */
export function encodeMailbox(name: string): string {
  return name.replace(/&|[^\x20-\x7E]+/g, (text) => {
    if (text === '&') return '&-'
    const octets = Buffer.from(text, 'utf16le').swap16()
    return `&${octets
      .toString('base64')
      .replace(/={0,2}$/, '')
      .replaceAll('/', ',')}-`
  })
}

/** Reads a mailbox's name. A part that is not modified UTF-7 stays as it is. */
export function decodeMailbox(name: string): string {
  return name.replace(/&([\w+,]{0,1000})-/g, (whole, base64: string) => {
    if (base64 === '') return '&'
    const octets = Buffer.from(base64.replaceAll(',', '/'), 'base64')
    return octets.length % 2 === 0 ? octets.swap16().toString('utf16le') : whole
  })
}

/** A quoted string (RFC 3501 4.3). CR, LF and NUL have been refused before. */
export function quoted(text: string): string {
  return `"${text.replace(/["\\]/g, '\\$&')}"`
}
