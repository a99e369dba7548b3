import { octetsToText } from '@retriever/core'
import { charsetLabels } from './html-charset.ts'

/** What is known of a body beside its octets; of a Representation, say. */
export interface TextMetadata {
  /** `type/subtype`, lower case. */
  readonly mediaType: string | null
  readonly charset: string | null
}

/**
 * The charset of a text that begins like this, as a name that TextDecoder knows: what its byte order mark says, else
 * what its metadata says, else what it says itself, in HTML (`<meta charset>`) and XML (`encoding`). Null where nothing
 * says, or only what nobody knows.
 */
export function charsetOf(beginning: Uint8Array, { mediaType, charset }: TextMetadata): string | null {
  return byteOrderMark(beginning) ?? knownCharset(charset) ?? declaredIn(beginning, mediaType ?? '')
}

/** The body as text: where charsetOf knows nothing, as UTF-8 if it is valid UTF-8, else as Latin-1. */
export function decodeText(octets: Uint8Array, metadata: TextMetadata): string {
  const charset = charsetOf(octets, metadata)
  try {
    const decoder = new TextDecoder(charset ?? 'utf-8', { fatal: charset === null })
    // In two steps: in one, Node 20 takes windows-1252 for ISO 8859-1, without its quotation marks and dashes.
    return decoder.decode(octets, { stream: true }) + decoder.decode()
  } catch {
    return Buffer.from(octets.buffer, octets.byteOffset, octets.length).toString('latin1')
  }
}

/**
 * Reads octets, one a character, as text for people: names of a listing, lines of a menu. In the charset that a caller
 * names (RequestOptions.charset); without one as UTF-8 where they are valid UTF-8, else as Latin-1.
 */
export function octetsDecoder(label: string | undefined): (octets: string) => string {
  const charset = knownCharset(label)
  if (charset === null) return octetsToText
  const decoder = new TextDecoder(charset)
  return (octets) => decoder.decode(Buffer.from(octets, 'latin1'), { stream: true }) + decoder.decode()
}

/** The three that browsers know. */
function byteOrderMark([first, second, third]: Uint8Array): string | null {
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8'
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  return first === 0xfe && second === 0xff ? 'utf-16be' : null
}

/** The name that TextDecoder has for a charset; null for one that nobody knows. */
export function knownCharset(label: string | null | undefined): string | null {
  try {
    return label ? new TextDecoder(label).encoding : null
  } catch {
    return null
  }
}

/** XML 1.0 4.3.3, HTML 13.2.3.2. XHTML is XML, but who writes it tests it as HTML. */
function declaredIn(octets: Uint8Array, mediaType: string): string | null {
  const isXml = /[/+]xml$/.test(mediaType)
  const isHtml = /^text\/html$|^application\/xhtml\+xml$/.test(mediaType)
  const beginning = Buffer.from(octets.subarray(0, prescanned)).toString('latin1')
  const charset = (isXml ? knownCharset(xmlEncoding(beginning)) : null) ?? (isHtml ? metaCharset(beginning) : null)
  // What could be read octet by octet is no UTF-16 (HTML 13.2.3.2 says so for meta).
  return charset?.startsWith('utf-16') ? 'utf-8' : charset
}

/** HTML 13.2.3.2: who means it says so within these. */
const prescanned = 1024

function xmlEncoding(beginning: string): string | undefined {
  return /^<\?xml(?=\s)[^>]*?\sencoding\s*=\s*(?:"([^">]*)"|'([^'>]*)')/.exec(beginning)?.slice(1).find(Boolean)
}

/** The first charset that a meta element of HTML gives, and that is known. */
function metaCharset(beginning: string): string | null {
  for (const label of charsetLabels(beginning)) {
    const charset = knownCharset(label)
    if (charset !== null) return charset
  }
  return null
}
