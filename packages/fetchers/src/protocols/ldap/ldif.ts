import type { Attribute } from './answers.ts'

/** Longer lines of LDIF are folded. RFC 2849 (note 2) leaves the length to the writer; this one is usual. */
const width = 76

/** The first line of a file (RFC 2849: version-spec). */
export const ldifVersion = 'version: 1\n'

/** Writes an entry as a record of LDIF (RFC 2849), with the empty line before it. */
export function ldifRecord(dn: Uint8Array, attributes: readonly Attribute[]): string {
  const lines = attributes.flatMap(({ type, values }) => values.map((value) => attributeLine(type, value)))
  return `\n${attributeLine('dn', dn)}${lines.join('')}`
}

/** Writes references to other servers as a comment that entries() reads: LDIF has no record for them. */
export function ldifReferences(urls: readonly string[]): string {
  return `\n${urls.map((url) => folded(`${referenceMark}${safeUrl(url)}`)).join('')}`
}

export const referenceMark = '# reference: '

/** Escapes characters that would end the line or control a terminal. */
function safeUrl(url: string): string {
  return url.replace(/[^!-~]/g, (octet) => `%${octet.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0')}`)
}

function attributeLine(type: string, value: Uint8Array): string {
  const octets = Buffer.from(value.buffer, value.byteOffset, value.length)
  if (octets.length === 0) return `${type}:\n`
  return folded(isSafe(value) ? `${type}: ${octets.toString('latin1')}` : `${type}:: ${octets.toString('base64')}`)
}

/**
 * Whether a value can be written as it is (RFC 2849: SAFE-STRING): ASCII without NUL, CR and LF, no blank, colon or `<`
 * at its beginning, and no blank at its end (note 8).
 */
function isSafe(value: Uint8Array): boolean {
  const [first] = value
  if (first === 0x20 || first === 0x3a || first === 0x3c || value.at(-1) === 0x20) return false
  return value.every((octet) => octet < 0x80 && octet !== 0 && octet !== 0x0a && octet !== 0x0d)
}

/** Folds a line into pieces. All but the first begin with a blank (RFC 2849, note 2). */
function folded(line: string): string {
  if (line.length <= width) return `${line}\n`
  const pieces = [line.slice(0, width)]
  for (let at = width; at < line.length; at += width - 1) pieces.push(line.slice(at, at + width - 1))
  return `${pieces.join('\n ')}\n`
}
