/**
 * The requests of Z39.50 (ANSI/NISO Z39.50-1995) as they are sent: BER, one octet a character. Tags are written as
 * their identifier octets.
 */

/** An element of BER (X.690 8.1): the octets of its tag, its length, its contents. */
export function berElement(tag: string, ...contents: readonly string[]): string {
  const octets = contents.join('')
  return tag + berLength(octets.length) + octets
}

function berLength(length: number): string {
  if (length < 0x80) return String.fromCharCode(length)
  const octets = uint(length)
  return String.fromCharCode(0x80 + octets.length) + octets
}

/** A number of 0 or more, without octets that say nothing. */
function uint(value: number): string {
  return (value > 255 ? uint(Math.floor(value / 256)) : '') + String.fromCharCode(value % 256)
}

/** The contents of an INTEGER of 0 or more: the first bit is the sign. */
export function berInteger(value: number): string {
  const octets = uint(value)
  return octets >= '\x80' ? `\0${octets}` : octets
}

/** The contents of an OBJECT IDENTIFIER (X.690 8.19); undefined: it is none. */
export function berOid(oid: string): string | undefined {
  const [first = 0, second = 0, ...rest] = oid.split('.').map(Number)
  if (!/^[0-2](?:\.(?:0|[1-9]\d{0,8})){2,30}$/.test(oid) || second > 39) return undefined
  return [first * 40 + second, ...rest].map((arc) => base128(arc)).join('')
}

function base128(arc: number, more: number = 0): string {
  return (arc > 127 ? base128(Math.floor(arc / 128), 0x80) : '') + String.fromCharCode((arc % 128) + more)
}

/** Elements that berElement() made, in hexadecimal digits, with texts in quotes: `91 07 "default"`. */
export function berReading(octets: string): string {
  const shown: string[] = []
  const code = (at: number): number => octets.charCodeAt(at)
  for (let at = 0; at < octets.length; ) {
    const isConstructed = (code(at) & 0x20) !== 0
    let next = at + 1
    if ((code(at) & 0x1f) === 0x1f) while (code(next++) > 0x7f);
    shown.push(hexOf(octets.slice(at, next)))
    const count = Math.max(code(next) - 0x80, 0)
    const start = next + 1 + count
    const length = count === 0 ? code(next) : Number.parseInt(hexOf(octets.slice(next + 1, start)), 16)
    const contents = octets.slice(start, start + length)
    const isText = contents.length > 2 && /^[ -~]*$/.test(contents)
    shown.push(hexOf(octets.slice(next, start)))
    if (length > 0) shown.push(isConstructed ? berReading(contents) : isText ? `"${contents}"` : hexOf(contents))
    at = start + length
  }
  return shown.join(' ')
}

/** Two hexadecimal digits for each octet. */
export function hexOf(octets: string): string {
  return octets.replace(/[\0-\xFF]/g, (octet) => octet.charCodeAt(0).toString(16).padStart(2, '0'))
}

/** Versions 1 to 3, search and present, and messages of up to a mebibyte. */
export const z3950Init = '\xb4\x12\x83\x02\x05\xe0\x84\x02\x06\xc0\x85\x03\x10\0\0\x86\x03\x10\0\0'

const resultSet = 'default'
const databaseName = '\x9f\x69'
const preferredRecordSyntax = '\x9f\x68'
/** 1.2.840.10003.3.1: the attribute set Bib-1. */
const bib1 = '\x2a\x86\x48\xce\x13\x03\x01'

/** A search, whose answer has no records. `syntax`: the contents of an OID; `query`: of an RPNStructure. */
export function z3950Search(databases: readonly string[], syntax: string, query: string): string {
  return berElement(
    '\xb6',
    // The upper bound of a small set, the lower bound of a large one, the records of a medium one.
    '\x8d\x01\0\x8e\x01\x01\x8f\x01\0',
    // The result set of this name is replaced.
    '\x90\x01\xff',
    berElement('\x91', resultSet),
    berElement('\xb2', ...databases.map((name) => berElement(databaseName, name))),
    berElement(preferredRecordSyntax, syntax),
    berElement('\xb5', berElement('\xa1', berElement('\x06', bib1), query)),
  )
}

/** An operand of a type-1 query: numeric attributes (or texts, in version 3) of Bib-1, and the term. */
export function z3950Term(
  attributes: ReadonlyArray<readonly [type: number, value: number | string]>,
  term: string,
): string {
  const list = attributes.map(([type, value]) =>
    berElement(
      '0',
      berElement('\x9f\x78', berInteger(type)),
      typeof value === 'number'
        ? berElement('\x9f\x79', berInteger(value))
        : berElement('\xbf\x81\x60', berElement('\xa1', berElement('\x81', value))),
    ),
  )
  return berElement('\xa0', berElement('\xbf\x66', berElement('\xbf\x2c', ...list), berElement('\x9f\x2d', term)))
}

/** The search for a document (RFC 2056 4): use attribute 1032 (Doc-id), structure 104 (URx), a general term. */
export function z3950DocidQuery(docid: string): string {
  return z3950Term(
    [
      [1, 1032],
      [4, 104],
    ],
    docid,
  )
}

/** The request for records, counted from 1, in an element set and a syntax (null: the server's choice). */
export function z3950Present(start: number, count: number, elementSet: string | null, syntax: string | null): string {
  return berElement(
    '\xb8',
    berElement('\x9f\x1f', resultSet),
    berElement('\x9e', berInteger(start)),
    berElement('\x9d', berInteger(count)),
    elementSet === null ? '' : berElement('\xb3', berElement('\x80', elementSet)),
    syntax === null ? '' : berElement(preferredRecordSyntax, syntax),
  )
}
