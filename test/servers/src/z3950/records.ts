import { element, indefinite, integer, oid, text } from './ber.ts'
import { type Book, marcOf, textOf, xmlOf } from './seed.ts'

export const syntaxes = {
  unimarc: '1.2.840.10003.5.1',
  usmarc: '1.2.840.10003.5.10',
  sutrs: '1.2.840.10003.5.101',
  opac: '1.2.840.10003.5.102',
  grs1: '1.2.840.10003.5.105',
  xml: '1.2.840.10003.5.109.10',
} as const

/** An EXTERNAL whose octets are the record. */
export function aligned(syntax: string, octets: Buffer): Buffer {
  return element(0x28, oid(0x06, syntax), element(0x81, octets))
}

/** An EXTERNAL whose record is an ASN.1 type. */
export function single(syntax: string, type: Buffer): Buffer {
  return indefinite(0x28, oid(0x06, syntax), indefinite(0xa0, type))
}

/** The record as an EXTERNAL; undefined if the server lacks the syntax. `isBrief` asks for the element set B. */
export function recordOf(book: Book, syntax: string, isBrief: boolean): Buffer | undefined {
  switch (syntax) {
    case syntaxes.usmarc:
      return aligned(syntax, marcOf(book))
    case syntaxes.xml:
      return aligned(syntax, Buffer.from(xmlOf(book)))
    case syntaxes.sutrs:
      return single(syntax, text(0x1b, isBrief ? `${book.title}\n` : textOf(book)))
    case syntaxes.grs1:
      return single(syntax, grs1Of(book))
    case syntaxes.opac:
      return single(syntax, opacOf(book))
    default:
      return undefined
  }
}

/** A TaggedElement: tag type, tag value, and the content. */
export function tagged(type: number, value: number | string, content: Buffer): Buffer {
  const tag = typeof value === 'number' ? integer(0x82, value) : text(0x81, value)
  return element(0x30, integer(0x81, type), element(0xa2, tag), element(0xa4, content))
}

function grs1Of(book: Book): Buffer {
  const string = (value: string): Buffer => text(0x1b, value)
  const publication = element(0xa6, element(0x30, tagged(3, 'year', integer(0x02, Number(book.year) || 0))))
  return element(
    0x30,
    tagged(1, 14, string(book.id)),
    tagged(2, 1, string(book.title)),
    tagged(2, 2, string(book.author)),
    tagged(2, 3, publication),
  )
}

function opacOf(book: Book): Buffer {
  const copy = element(0x30, element(0x81, Buffer.from([1])), text(0x85, 'item-1'), element(0x86, Buffer.from([0])))
  const holding = element(
    0xa2,
    text(0x81, 'x'),
    text(0x89, 'Main library'),
    text(0x8b, book.shelf),
    element(0xb3, copy),
  )
  // The tag [1] replaces that of EXTERNAL.
  const record = element(0xa1, oid(0x06, syntaxes.usmarc), element(0x81, marcOf(book)))
  return element(0x30, record, element(0xa2, holding))
}
