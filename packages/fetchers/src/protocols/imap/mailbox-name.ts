/** Reads a mailbox's name. A part that is not modified UTF-7 stays as it is. */
export function decodeMailbox(name: string): string {
  return name.replace(/&([\w+,]{0,1000})-/g, (whole, base64: string) => {
    if (base64 === '') return '&'
    const octets = Buffer.from(base64.replaceAll(',', '/'), 'base64')
    return octets.length % 2 === 0 ? octets.swap16().toString('utf16le') : whole
  })
}
