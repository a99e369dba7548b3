import { isUtf8 } from 'node:buffer'
import { octetsToText } from '@retriever/core'
import { knownCharset } from '../../kit/text/text.ts'
import { hzGb2312, iso2022Kr } from './escapes.ts'
import { decodeFatal } from './fatal.ts'
import { decodeKorean } from './korean.ts'

/** A charset of a message's text. */
export interface Charset {
  /** The same name for all labels of one charset. */
  readonly name: string
  /** Decodes octets. Returns null if they are no text of this charset. */
  decode(octets: Uint8Array): string | null
}

/** The charsets that TextDecoder does not know, such as cp437: loaded when a message first names one. */
let tables: typeof import('./tables.ts') | null = null

/** Encodings of iconv-lite that are no charsets of mail. */
const noCharsets: ReadonlySet<string> = new Set(['base64', 'hex', 'binary', 'utf7imap', 'internal'])

/** Loads the tables that charsetOf() needs for these labels. */
export async function loadCharsets(labels: Iterable<string>): Promise<void> {
  if (tables !== null) return
  for (const label of labels) {
    if (webName(label) !== null || own.has(plainLabel(label))) continue
    tables = await import('./tables.ts')
    return
  }
}

/** Returns the charset with this label; null if it is unknown or not loaded. */
export function charsetOf(label: string): Charset | null {
  const known = webName(label)
  if (known !== null) return { name: known, decode: wider.get(known) ?? ((octets) => decodeFatal(octets, known)) }
  const name = plainLabel(label)
  const decode = own.get(name)
  if (decode !== undefined) return { name, decode }
  const loaded = tables
  if (loaded === null || noCharsets.has(name) || !loaded.isKnown(name)) return null
  return {
    name,
    decode(octets) {
      const text = loaded.decode(Buffer.from(octets.buffer, octets.byteOffset, octets.length), name)
      return text.includes('\uFFFD') ? null : text
    },
  }
}

/** Charsets of which Node's TextDecoder reads less than messages have. GB 18030 has all of GBK, and the euro. */
const wider: ReadonlyMap<string, Charset['decode']> = new Map([
  ['euc-kr', decodeKorean],
  ['gbk', (octets: Uint8Array) => decodeFatal(octets, 'gb18030')],
])

/** Whether TextDecoder, which calls the charset so, knows all of it. */
export function isWhole(name: string): boolean {
  return !wider.has(name)
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

/** The label without marks, and without the year that may follow a colon. */
function plainLabel(label: string): string {
  return label.toLowerCase().replace(/:\d{4}$|[^a-z0-9]/g, '')
}

/** TextDecoder's name for a charset, by further labels that messages have for it, too. */
function webName(label: string): string | null {
  return knownCharset(label) ?? furtherLabels.get(plainLabel(label)) ?? null
}

const furtherLabels: ReadonlyMap<string, string> = new Map(
  Object.entries({
    shift_jis: 'shiftjis csshiftjis mskanji sjis windows31j ms31j xsjis windows932 ms932 932 cp932',
    'euc-jp': 'eucjp',
    gbk: 'gb2312 gb231280 gb23121980 csgb2312 csiso58gb231280 euccn windows936 ms936 936 cp936 gbk xgbk isoir58 chinese',
    'euc-kr': 'euckr cseuckr korean ksc5601 ksc56011987 csksc56011987 ksc56011989 isoir149 windows949 ms949 949 cp949',
    big5: 'big5 csbig5 cnbig5 xxbig5 windows950 ms950 950 cp950 big5hkscs',
  }).flatMap(([name, labels]) => labels.split(' ').map((label) => [label, name])),
)

/** Charsets of seven bits that neither TextDecoder nor iconv-lite knows. Escapes switch to two octets a character. */
const own: ReadonlyMap<string, (octets: Uint8Array) => string | null> = new Map([
  ['hz', hzGb2312],
  ['hzgb2312', hzGb2312],
  ['iso2022kr', iso2022Kr],
  ['csiso2022kr', iso2022Kr],
])
