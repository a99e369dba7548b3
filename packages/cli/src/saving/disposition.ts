import { decodeOctets, octetsToText } from '@retriever/core'

const token = String.raw`[\w!#$%&'*+.^|~\x60-]+`
const quoted = String.raw`"((?:[^"\\]|\\.)*)(?:"|$)`
const bare = String.raw`([^\0-\x20\x7F"/;=\\][^\0-\x08\x0A-\x1F\x7F"/;=\\]*)`

/**
 * One parameter: `; filename="a\"b"`, `; filename*=UTF-8''a%20b`. Octets, one a character. An empty one is a `;` too
 * many. As browsers do, a quote may stay open to the end, and blanks and octets beyond ASCII may stand in a name
 * without quotes (`filename=a b.txt`).
 */
const parameter = new RegExp(
  String.raw`[ \t]*;(?:[ \t]*;)*[ \t]*(?:(${token})[ \t]*=[ \t]*(?:${quoted}|${bare})|$)`,
  'y',
)

/**
 * The name that a Content-Disposition field gives (RFC 6266), as it stands: an untrusted text. Null where the field is
 * malformed, or names two (security.md case 28): nobody can say which one others would take.
 */
export function dispositionName(field: string): string | null {
  const parameters = parametersOf(field)
  const [plain, secondPlain] = parameters?.get('filename') ?? []
  const [extended, secondExtended] = parameters?.get('filename*') ?? []
  if (secondPlain !== undefined || secondExtended !== undefined) return null
  const name = extended === undefined ? null : extendedValue(extended)
  // RFC 6266 4.3: the extended one is preferred. An unknown charset or a broken escape leaves the other one.
  return name ?? (plain === undefined ? null : octetsToText(plain))
}

/** By lower-case name; null for what is no list of parameters behind a disposition type. */
function parametersOf(field: string): Map<string, string[]> | null {
  const type = /^[ \t]*[\w!#$%&'*+.^`|~-]+/.exec(field)?.[0]
  if (type === undefined) return null
  const found = new Map<string, string[]>()
  parameter.lastIndex = type.length
  const text = field.trimEnd()
  while (parameter.lastIndex < text.length) {
    const [, name, inQuotes, value = ''] = parameter.exec(text) ?? []
    if (parameter.lastIndex === 0) return null
    if (name === undefined) break
    const values = found.get(name.toLowerCase()) ?? []
    values.push(inQuotes?.replace(/\\(.)/gs, '$1') ?? value.trimEnd())
    found.set(name.toLowerCase(), values)
  }
  return found
}

/**
 * RFC 8187 3.2: `UTF-8''gr%C3%BC%C3%9Fe`, `iso-8859-1'de'gr%FC%DFe`; null for another charset, and for octets that are
 * none of UTF-8.
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
