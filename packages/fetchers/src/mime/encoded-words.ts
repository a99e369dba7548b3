import { type Charset, charsetOf } from './charset/charset.ts'

/** Matches an encoded word (RFC 2047 2), with the language that RFC 2231 5 allows: `=?charset*en?q?text?=`. */
const word = /=\?([^?*\s]+)(?:\*[^?\s]*)?\?([bq])\?([^?\s]*)\?=/gi

/**
 * Adjacent words of one charset are decoded together, because some mailers split a character, which RFC 2047 5 forbids.
 */
interface Run {
  readonly charset: Charset
  readonly octets: Buffer[]
  /** The words as they were written. */
  written: string
}

/**
 * Decodes the encoded words of a text, and removes the blanks between two of them (RFC 2047 6.2). A word stays as it is
 * if it is broken or in an unknown charset; call loadCharsets() first. The result may have control characters.
 */
export function decodeWords(text: string): string {
  if (!text.includes('=?')) return text
  let decoded = ''
  let run = null as Run | null
  let at = 0
  for (const { 0: written, 1: label = '', 2: encoding = '', 3: encoded = '', index } of text.matchAll(word)) {
    const octets = wordOctets(encoding, encoded)
    const charset = charsetOf(label)
    if (octets === null || charset === null) continue
    const between = text.slice(at, index)
    at = index + written.length
    if (run?.charset.name === charset.name && isBlank(between)) {
      run.octets.push(octets)
      run.written += between + written
    } else {
      decoded += runText(run) + (run !== null && isBlank(between) ? '' : between)
      run = { charset, octets: [octets], written }
    }
  }
  return decoded + runText(run) + text.slice(at)
}

function isBlank(text: string): boolean {
  return /^[ \t\r\n]*$/.test(text)
}

function runText(run: Run | null): string {
  return run === null ? '' : (run.charset.decode(Buffer.concat(run.octets)) ?? run.written)
}

/** Returns the octets of an encoded word (RFC 2047 4), or null if the word is not valid in its encoding. */
function wordOctets(encoding: string, encoded: string): Buffer | null {
  if (encoding.toLowerCase() === 'b') {
    const isBase64 = /^[A-Za-z0-9+/]*={0,2}$/.test(encoded) && encoded.replaceAll('=', '').length % 4 !== 1
    return isBase64 ? Buffer.from(encoded, 'base64') : null
  }
  if (/=(?![0-9A-F]{2})/i.test(encoded)) return null
  const octets = encoded
    .replaceAll('_', ' ')
    .replace(/=([0-9A-F]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
  // An encoded word must be ASCII, but we keep other characters.
  return Buffer.from(octets, /[^\0-\xFF]/.test(octets) ? 'utf8' : 'latin1')
}
