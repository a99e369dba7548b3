import { berElement, berInteger } from '../../wire/ber.ts'

/** The requests of Z39.50 (ANSI/NISO Z39.50-1995) as they are sent: BER, one octet a character. */

/** InitializeRequest: versions 1 to 3, search and present, and messages of up to a mebibyte. */
export const z3950Init = '\xb4\x12\x83\x02\x05\xe0\x84\x02\x06\xc0\x85\x03\x10\0\0\x86\x03\x10\0\0'

const resultSet = 'default'
const databaseName = '\x9f\x69'
const preferredRecordSyntax = '\x9f\x68'
/** 1.2.840.10003.3.1: the attribute set Bib-1. */
const bib1 = '\x2a\x86\x48\xce\x13\x03\x01'

/** A search; its answer contains no records. `syntax` is the contents of an OID, `query` those of an RPNStructure. */
export function z3950Search(databases: readonly string[], syntax: string, query: string): string {
  return berElement(
    '\xb6',
    // Upper bound of a small set, lower bound of a large one, records to send for a medium one: the server sends none.
    '\x8d\x01\0\x8e\x01\x01\x8f\x01\0',
    // True: the new result set replaces the old one of the same name.
    '\x90\x01\xff',
    berElement('\x91', resultSet),
    berElement('\xb2', ...databases.map((name) => berElement(databaseName, name))),
    berElement(preferredRecordSyntax, syntax),
    berElement('\xb5', berElement('\xa1', berElement('\x06', bib1), query)),
  )
}

/** An operand of a type-1 query: Bib-1 attributes, which are numbers or (in version 3) texts, and the term. */
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
