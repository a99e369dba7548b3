import { octetsToText } from '@retriever/core'
import { charsetLabels } from './html-charset.ts'

/** The metadata that decide a body's charset. A Representation has them. */
export interface TextMetadata {
  /** `type/subtype`, lower case. */
  readonly mediaType: string | null
  readonly charset: string | null
}

/**
 * Returns the charset of a text, as a name that TextDecoder knows: that of its byte order mark, else of its metadata,
 * else of its own declaration in HTML (`<meta charset>`) or XML (`encoding`). Null if none of them names a known
 * charset.
 */
export function charsetOf(beginning: Uint8Array, { mediaType, charset }: TextMetadata): string | null {
  return byteOrderMark(beginning) ?? knownCharset(charset) ?? declaredIn(beginning, mediaType ?? '')
}

/** Decodes the body in the charset that charsetOf finds, else as UTF-8 if it is valid UTF-8, else as Latin-1. */
export function decodeText(octets: Uint8Array, metadata: TextMetadata): string {
  const charset = charsetOf(octets, metadata)
  try {
    const decoder = new TextDecoder(charset ?? 'utf-8', { fatal: charset === null })
    // Two steps: if TextDecoder gets all at once, Node 20 reads windows-1252 as ISO 8859-1, and loses quotation marks
    // and dashes.
    return decoder.decode(octets, { stream: true }) + decoder.decode()
  } catch {
    return Buffer.from(octets.buffer, octets.byteOffset, octets.length).toString('latin1')
  }
}

/**
 * Makes a function that turns octets, one a character, into text for people, such as names in a listing or lines of a
 * menu. It uses the charset that the caller names (RequestOptions.charset). If there is none, it reads valid UTF-8 as
 * UTF-8 and the rest as Latin-1.
 */
export function octetsDecoder(label: string | undefined): (octets: string) => string {
  const charset = knownCharset(label)
  if (charset === null) return octetsToText
  const decoder = new TextDecoder(charset)
  return (octets) => decoder.decode(Buffer.from(octets, 'latin1'), { stream: true }) + decoder.decode()
}

/** The byte order marks that browsers know. */
function byteOrderMark([first, second, third]: Uint8Array): string | null {
  if (first === 0xef && second === 0xbb && third === 0xbf) return 'utf-8'
  if (first === 0xff && second === 0xfe) return 'utf-16le'
  return first === 0xfe && second === 0xff ? 'utf-16be' : null
}

/** Returns TextDecoder's name for a charset; null for an unknown one. */
export function knownCharset(label: string | null | undefined): string | null {
  try {
    return label ? new TextDecoder(label).encoding : null
  } catch {
    return null
  }
}

/**
 * Returns the charset that XML (XML 1.0 4.3.3) or HTML (13.2.3.2) declares. XHTML is XML, but people mostly test it as
 * HTML.
 */
function declaredIn(octets: Uint8Array, mediaType: string): string | null {
  const isXml = /[/+]xml$/.test(mediaType)
  const isHtml = /^text\/html$|^application\/xhtml\+xml$/.test(mediaType)
  const beginning = Buffer.from(octets.subarray(0, prescanned)).toString('latin1')
  const charset = (isXml ? knownCharset(xmlEncoding(beginning)) : null) ?? (isHtml ? metaCharset(beginning) : null)
  // If the declaration can be read octet by octet, the text is not in UTF-16 (HTML 13.2.3.2 says so for meta).
  return charset?.startsWith('utf-16') ? 'utf-8' : charset
}

/** A charset must be declared within this many octets (HTML 13.2.3.2). */
const prescanned = 1024

function xmlEncoding(beginning: string): string | undefined {
  return /^<\?xml(?=\s)[^>]*?\sencoding\s*=\s*(?:"([^">]*)"|'([^'>]*)')/.exec(beginning)?.slice(1).find(Boolean)
}

/** Returns the first known charset that a meta element of HTML names. */
function metaCharset(beginning: string): string | null {
  for (const label of charsetLabels(beginning)) {
    const charset = knownCharset(label)
    if (charset !== null) return charset
  }
  return null
}
