import { printable } from '@retriever/core'
import { type Head, InvalidHttp } from './connection.ts'
import { namedFields } from './named-fields.ts'

type Fields = Head['fields']

/**
 * Throws InvalidHttp if the fields do not say clearly where the body ends (RFC 9112 6.3), as in response smuggling. If
 * the same length comes several times, returns it once (RFC 9110 8.6).
 */
export function checkFraming(fields: Fields): Pick<Head, 'fields' | 'named'> {
  const named = namedFields(fields)
  const { 'content-length': length, 'transfer-encoding': coding } = named
  // Several lengths, joined by commas, are no number.
  if (length === undefined || (coding === undefined && isNumber(length))) return { fields, named }
  const framed = withOneLength(fields, coding !== undefined)
  return { fields: framed, named: namedFields(framed) }
}

function withOneLength(fields: Fields, isCoded: boolean): Fields {
  const lengths = fields.filter(([name]) => isLength(name))
  const [first] = lengths
  const [length = '', ...others] = lengths.flatMap(([, value]) => value.split(',').map(trimmed))
  const different = others.find((other) => other !== length)
  if (different !== undefined && isNumber(length) && isNumber(different)) {
    throw new InvalidHttp(`two different Content-Length fields (${length} and ${different})`)
  }
  const odd = [length, ...others].find((each) => !isNumber(each))
  if (odd !== undefined) throw new InvalidHttp(`Content-Length is no number (${printable(odd.slice(0, 40))})`)
  if (isCoded) throw new InvalidHttp('both Content-Length and Transfer-Encoding')
  return fields.flatMap((field) => (field === first ? [[field[0], length]] : isLength(field[0]) ? [] : [field]))
}

function isLength(name: string): boolean {
  return name.length === 14 && name.toLowerCase() === 'content-length'
}

function isNumber(text: string): boolean {
  return /^\d+$/.test(text) && Number.isSafeInteger(Number(text))
}

export function isBlank(code: number): boolean {
  return code === 0x20 || code === 0x09
}

/** Removes blanks and TABs at both ends. String.trim would also remove 0xA0, which is half a letter in UTF-8. */
export function trimmed(text: string): string {
  let start = 0
  let end = text.length
  while (isBlank(text.charCodeAt(start))) start++
  while (isBlank(text.charCodeAt(end - 1))) end--
  return text.slice(start, end)
}
