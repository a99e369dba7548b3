import { isUtf8 } from 'node:buffer'
import { octetsToText } from '@retriever/core'
import { knownCharset } from '../kit/text/text.ts'

/** A charset of a message's text. */
export interface Charset {
  /** The same name for all labels of one charset. */
  readonly name: string
  /** Decodes octets. Returns null if they are no text of this charset. */
  decode(octets: Uint8Array): string | null
}

type Iconv = Pick<typeof import('iconv-lite'), 'decode' | 'encodingExists'>

/**
 * iconv-lite has charsets that TextDecoder does not know, such as cp437. It is loaded when a message first names one.
 */
let iconv: Iconv | null = null

/** Encodings of iconv-lite that are no charsets of mail. */
const noCharsets: ReadonlySet<string> = new Set(['base64', 'hex', 'binary', 'utf7imap', 'internal'])

/** Loads the tables that charsetOf() needs for these labels. */
export async function loadCharsets(labels: Iterable<string>): Promise<void> {
  if (iconv !== null) return
  for (const label of labels) {
    if (knownCharset(label) !== null || own.has(plainLabel(label))) continue
    // iconv-lite is CommonJS. In a bundle, all its exports are under `default`.
    iconv = (await import('iconv-lite')).default
    return
  }
}

/** Returns the charset with this label; null if it is unknown or not loaded. */
export function charsetOf(label: string): Charset | null {
  const known = knownCharset(label)
  if (known !== null) return { name: known, decode: (octets) => decodeFatal(octets, known) }
  const name = plainLabel(label)
  const decode = own.get(name)
  if (decode !== undefined) return { name, decode }
  const tables = iconv
  if (tables === null || noCharsets.has(name) || !tables.encodingExists(label)) return null
  return {
    name,
    decode(octets) {
      const text = tables.decode(Buffer.from(octets.buffer, octets.byteOffset, octets.length), label)
      return text.includes('\uFFFD') ? null : text
    },
  }
}

/** Yields the charset labels in the encoded words of a text (RFC 2047 2). */
export function* wordCharsets(text: string): Generator<string, void, void> {
  for (const [, label = ''] of text.matchAll(/=\?([^?*\s]{1,60})[?*]/g)) yield label
}

/**
 * Decodes the octets of a header: as UTF-8 if they are valid, else in the charset of the message's text, else as
 * Latin-1. Escape sequences reveal a charset of seven bits.
 */
export function headerText(octets: string, charset: Charset | null): string {
  const isEscaped = /^(?:iso2022|hz)/.test(plainLabel(charset?.name ?? '')) && /\x1B[$(]|~\{/.test(octets)
  const octetBuffer = Buffer.from(octets, 'latin1')
  const text = charset !== null && (isEscaped || !isUtf8(octetBuffer)) ? charset.decode(octetBuffer) : null
  return text ?? octetsToText(octets)
}

function plainLabel(label: string): string {
  return label.toLowerCase().replace(/[^a-z0-9]/g, '')
}

function decodeFatal(octets: Uint8Array, name: string): string | null {
  try {
    const decoder = new TextDecoder(name, { fatal: true })
    // Two steps, as in kit/text/text.ts: if TextDecoder gets all at once, Node 20 reads windows-1252 as ISO 8859-1.
    return decoder.decode(octets, { stream: true }) + decoder.decode()
  } catch {
    return null
  }
}

/** Charsets of seven bits that neither TextDecoder nor iconv-lite knows. Escapes switch to two octets a character. */
const own: ReadonlyMap<string, (octets: Uint8Array) => string | null> = new Map([
  ['hz', hzGb2312],
  ['hzgb2312', hzGb2312],
  ['iso2022kr', iso2022Kr],
  ['csiso2022kr', iso2022Kr],
])

const lf = 0x0a
const cr = 0x0d
const tilde = 0x7e
const shiftOut = 0x0e
const shiftIn = 0x0f

/**
 * Decodes HZ (RFC 1843): `~{` begins GB 2312, `~}` ends it, `~~` is a tilde, and a tilde before a line end joins two
 * lines. If a tilde is the second octet of a character, it begins no escape.
 */
function hzGb2312(octets: Uint8Array): string | null {
  const gbk = Buffer.allocUnsafe(octets.length)
  let length = 0
  let isGb = false
  for (let at = 0; at < octets.length; at++) {
    const octet = octets[at] ?? 0
    const next = octets[at + 1] ?? 0
    if (octet === tilde && '{}~'.includes(String.fromCharCode(next))) {
      if (next === tilde) gbk[length++] = tilde
      else isGb = next !== 0x7d
      at++
    } else if (octet === tilde && (next === lf || (next === cr && octets[at + 2] === lf))) at += next === lf ? 1 : 2
    else if (isGb && octet > 0x20 && next > 0x20) {
      gbk[length++] = octet | 0x80
      gbk[length++] = next | 0x80
      at++
    } else {
      // Every line begins in ASCII.
      if (octet === lf) isGb = false
      gbk[length++] = octet
    }
  }
  return decodeFatal(gbk.subarray(0, length), 'gbk')
}

/** Decodes ISO-2022-KR (RFC 1557): ESC $ ) C announces the charset, SO begins KS X 1001, SI ends it. */
function iso2022Kr(octets: Uint8Array): string | null {
  const text = Buffer.from(octets.buffer, octets.byteOffset, octets.length).toString('latin1')
  const eucKr = Buffer.from(text.replaceAll('\x1B$)C', ''), 'latin1')
  let length = 0
  let high = 0
  for (const octet of eucKr) {
    if (octet === shiftOut) high = 0x80
    else if (octet === shiftIn) high = 0
    else {
      if (octet === lf) high = 0
      eucKr[length++] = octet > 0x20 ? octet | high : octet
    }
  }
  return decodeFatal(eucKr.subarray(0, length), 'euc-kr')
}
