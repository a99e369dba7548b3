import { isUtf8 } from 'node:buffer'
import { octetsToText } from '@retriever/core'
import { knownCharset } from '../plugin/text.ts'

/** A charset that texts of messages may be in. */
export interface Charset {
  /** The same for all labels of one charset. */
  readonly name: string
  /** Null where the octets are no text of this charset. */
  decode(octets: Uint8Array): string | null
}

type Iconv = Pick<typeof import('iconv-lite'), 'decode' | 'encodingExists'>

/**
 * The tables of charsets that TextDecoder does not know, cp437 among them; loaded for the first message that names one.
 */
let iconv: Iconv | null = null

/** Encodings of iconv-lite that are no charsets of mail. */
const noCharsets: ReadonlySet<string> = new Set(['base64', 'hex', 'binary', 'utf7imap', 'internal'])

/** Loads what charsetOf() needs to know these. */
export async function loadCharsets(labels: Iterable<string>): Promise<void> {
  if (iconv !== null) return
  for (const label of labels) {
    if (knownCharset(label) !== null || own.has(plainLabel(label))) continue
    // It is CommonJS: a bundle has its exports under `default` alone.
    iconv = (await import('iconv-lite')).default
    return
  }
}

/** The charset of that label; null where it is not known, or not loaded. */
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

/** The charsets that encoded words of a text name (RFC 2047 2). */
export function* wordCharsets(text: string): Generator<string, void, void> {
  for (const [, label = ''] of text.matchAll(/=\?([^?*\s]{1,60})[?*]/g)) yield label
}

/**
 * Octets of a header, one a character, as text: UTF-8 where it is valid, else in the charset that the text of the
 * message has, else Latin-1. A charset of seven bits is recognised by its escapes.
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
    // In two steps, as in plugin/text.ts: Node 20 has a fast path that takes windows-1252 for ISO 8859-1.
    return decoder.decode(octets, { stream: true }) + decoder.decode()
  } catch {
    return null
  }
}

/**
 * Charsets of seven bits that neither TextDecoder nor iconv-lite knows: escapes switch to a set of two octets a
 * character.
 */
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
 * RFC 1843: `~{` begins GB 2312, `~}` ends it, `~~` is a tilde, and a tilde before a line end joins two lines. The second
 * octet of a character may be a tilde, too, and begins nothing.
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
      // A line begins in ASCII.
      if (octet === lf) isGb = false
      gbk[length++] = octet
    }
  }
  return decodeFatal(gbk.subarray(0, length), 'gbk')
}

/** RFC 1557: ESC $ ) C says that it is this charset, SO begins KS X 1001, SI ends it. */
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
