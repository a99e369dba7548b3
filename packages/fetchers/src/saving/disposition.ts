import { decodeOctets, octetsToText } from '@retriever/core'
import { trimBlanks } from '../kit/text/blanks.ts'

const token = String.raw`[\w!#$%&'*+.^|~\x60-]+`
const quoted = String.raw`"((?:[^"\\]|\\.)*)(?:"|$)`
const bare = String.raw`([^\0-\x20\x7F"/;=\\][^\0-\x08\x0A-\x1F\x7F"/;=\\]*)`

/**
 * Matches one parameter: `; filename="a\"b"`, `; filename*=UTF-8''a%20b`. Octets, one a character. It skips empty
 * parameters (`;;`). As in browsers, a quote may stay open to the end, and an unquoted name may hold blanks and
 * non-ASCII octets (`filename=a b.txt`).
 */
const parameter = new RegExp(
  String.raw`[ \t]*;(?:[ \t]*;)*[ \t]*(?:(${token})[ \t]*=[ \t]*(?:${quoted}|${bare})|$)`,
  'y',
)

/** Returns the field Content-Disposition of an answer that has header fields; "" if there is none. */
export function dispositionOf(metadata: object): string {
  const headers: unknown = 'headers' in metadata ? metadata.headers : null
  if (typeof headers !== 'object' || headers === null || !('content-disposition' in headers)) return ''
  const field: unknown = headers['content-disposition']
  return typeof field === 'string' ? field : ''
}

/**
 * Returns the file name in a Content-Disposition field (RFC 6266), not yet made safe. Null if the field is malformed,
 * or if it has two names, because programs differ in which one they use (threats.md 28: a server chooses the name of a
 * download).
 */
export function dispositionName(field: string): string | null {
  const parameters = parametersOf(field)
  const [plain, secondPlain] = parameters?.get('filename') ?? []
  const [extended, secondExtended] = parameters?.get('filename*') ?? []
  if (secondPlain !== undefined || secondExtended !== undefined) return null
  const name = extended === undefined ? null : extendedValue(extended)
  // filename* comes first (RFC 6266 4.3). If its charset is unknown or an escape is broken, filename is used.
  return name ?? (plain === undefined ? null : octetsToText(plain))
}

/**
 * Returns the parameters by lower-case name. Null if the field is not a type with a list of parameters. Some servers
 * leave the type out: `filename=x`.
 */
function parametersOf(field: string): Map<string, string[]> | null {
  const given = trimBlanks(field)
  const [, type, equals] = /^([\w!#$%&'*+.^`|~-]+)[ \t]*(=?)/.exec(given) ?? []
  if (type === undefined) return null
  const found = new Map<string, string[]>()
  const text = equals ? `;${given}` : given
  parameter.lastIndex = equals ? 0 : type.length
  while (parameter.lastIndex < text.length) {
    const [, name, inQuotes, value = ''] = parameter.exec(text) ?? []
    if (parameter.lastIndex === 0) return null
    if (name === undefined) break
    const values = found.get(name.toLowerCase()) ?? []
    values.push(inQuotes?.replace(/\\(.)/gs, '$1') ?? trimBlanks(value))
    found.set(name.toLowerCase(), values)
  }
  return found
}

/**
 * Reads `UTF-8''gr%C3%BC%C3%9Fe` or `iso-8859-1'de'gr%FC%DFe` (RFC 8187 3.2). Returns null for another charset and for
 * invalid UTF-8.
 */
function extendedValue(value: string): string | null {
  const [, charset = '', encoded = ''] = /^([^']*)'[\w-]*'((?:[\w!#$&+.^`|~-]|%[\dA-F]{2})*)$/i.exec(value) ?? []
  const octets = decodeOctets(encoded)
  if (/^iso-8859-1$/i.test(charset)) return octets
  if (!/^utf-8$/i.test(charset)) return null
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(Buffer.from(octets, 'latin1'))
  } catch {
    return null
  }
}
