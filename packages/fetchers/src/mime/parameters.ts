import { octetsToText } from '@retriever/core'
import { trimBlanks } from '../kit/text/blanks.ts'
import { charsetOf } from './charset/charset.ts'
import { decodeWords } from './encoded-words.ts'

/** A parameter's value, one octet a character, and the charset if the value is in the form of RFC 2231 4. */
export interface Parameter {
  readonly octets: string
  readonly charset: string | null
}

/** A field such as Content-Type: `text/plain; charset=utf-8; name="a b"` (RFC 2045 5.1). */
export interface ParsedField {
  /** The value before the parameters. */
  readonly value: string
  /** The parameters by lower-case name. If a name occurs twice, the last one counts. */
  readonly parameters: ReadonlyMap<string, Parameter>
}

/**
 * Matches one element between semicolons. A semicolon within quotes or after a backslash does not end it. A quote may
 * lack its end.
 */
const element = /(?:"(?:[^"\\]|\\(?:.|$))*(?:"|$)|\\(?:.|$)|[^;"\\])+/gs

/** Reads an unfolded field, one octet a character. */
export function parseField(field: string): ParsedField {
  const [value = '', ...elements] = /^\s*;/.test(field) ? ['', ...matchesOf(field)] : matchesOf(field)
  const written = new Map<string, string>()
  for (const text of elements) {
    const equals = text.indexOf('=')
    const name = trimBlanks(equals < 0 ? text : text.slice(0, equals)).toLowerCase()
    written.set(name, equals < 0 ? '' : unquoted(text.slice(equals + 1)))
  }
  const parameters = new Map<string, Parameter>()
  const pieces = new Map<string, Piece[]>()
  for (const [name, octets] of written) {
    const [, base, number, star] = /^(.*?)\*(?:(\d+)(\*?))?$/s.exec(name) ?? []
    if (base === undefined) parameters.set(name, { octets, charset: null })
    else {
      const piece = { number: Number(number ?? 0), isEncoded: number === undefined || star === '*', octets }
      const before = pieces.get(base)
      if (before === undefined) pieces.set(base, [piece])
      else before.push(piece)
    }
  }
  // The extended form of a parameter counts; the plain one is for old readers (RFC 6266 4.3).
  for (const [name, all] of pieces) parameters.set(name, joined(all))
  return { value: unquoted(value), parameters }
}

/** Returns a parameter's text. Many mailers use encoded words here, although RFC 2047 5 forbids them. */
export function parameterText({ octets, charset }: Parameter): string {
  const decoded = charset === null ? null : charsetOf(charset)?.decode(Buffer.from(octets, 'latin1'))
  return decodeWords(decoded ?? octetsToText(octets))
}

/** One piece of a long value: `name*0*=utf-8''%e2; name*1=.txt` (RFC 2231 3). */
interface Piece {
  readonly number: number
  readonly isEncoded: boolean
  readonly octets: string
}

function joined(pieces: Piece[]): Parameter {
  const [first, ...rest] = pieces.sort((one, other) => one.number - other.number)
  const [, label = null, beginning = first?.octets ?? ''] =
    (first?.isEncoded && /^([^']*)'[^']*'(.*)$/s.exec(first.octets)) || []
  if (label === null) return { octets: pieces.map(({ octets }) => octets).join(''), charset: null }
  const others = rest.map(({ isEncoded, octets }) => (isEncoded ? percentDecoded(octets) : octets))
  return { octets: percentDecoded(beginning) + others.join(''), charset: label || 'utf-8' }
}

function percentDecoded(text: string): string {
  return text.replace(/%([0-9A-F]{2})/gi, (_, hex: string) => String.fromCharCode(Number.parseInt(hex, 16)))
}

function matchesOf(field: string): string[] {
  return field.match(element) ?? []
}

/** Removes the quotes, and the backslashes before other characters. Blanks count only within quotes. */
function unquoted(text: string): string {
  return trimBlanks(text).replace(/\\(.|$)|"/gs, '$1')
}
