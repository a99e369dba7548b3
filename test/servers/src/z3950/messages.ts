import { element, integer, oid, text } from './ber.ts'

/** The conditions of Bib-1 (Z39.50 appendix ERR) that the server knows. */
export const conditions = {
  presentRange: 13,
  elementSet: 25,
  database: 109,
  query: 107,
  syntax: 239,
  use: 114,
} as const

const bib1Diagnostics = '1.2.840.10003.4.1'

export const yes: Buffer = Buffer.from([0xff])
export const no: Buffer = Buffer.from([0])

export function initResponse(isAccepted: boolean, referenceId: Buffer): Buffer {
  return element(
    0xb5,
    referenceId,
    element(0x83, Buffer.from([0x05, 0xe0])),
    element(0x84, Buffer.from([0x06, 0xc0])),
    integer(0x85, 1_048_576),
    integer(0x86, 1_048_576),
    element(0x8c, isAccepted ? yes : no),
    text(0x9f6f, 'Retriever test server'),
  )
}

/**
 * The fields of DefaultDiagFormat. In an answer that is a diagnostic they stand below [130], otherwise in a SEQUENCE.
 */
export function diagnostic(tag: number, condition: number, words: string): Buffer {
  return element(tag, oid(0x06, bib1Diagnostics), integer(0x02, condition), text(0x1a, words))
}

export function searchResponse(hits: number, referenceId: Buffer, failure: Buffer = Buffer.alloc(0)): Buffer {
  const isDone = failure.length === 0
  return element(
    0xb7,
    referenceId,
    integer(0x97, hits),
    integer(0x98, 0),
    integer(0x99, hits === 0 ? 0 : 1),
    element(0x96, isDone ? yes : no),
    failure,
  )
}

/** NamePlusRecord. */
export function named(database: string, record: Buffer): Buffer {
  return element(0x30, text(0x80, database), element(0xa1, element(0xa1, record)))
}

/** A NamePlusRecord that has a diagnostic instead of the record. */
export function surrogate(database: string, condition: number, words: string): Buffer {
  return element(0x30, text(0x80, database), element(0xa1, element(0xa2, diagnostic(0x30, condition, words))))
}

export function presentResponse(
  records: readonly Buffer[],
  referenceId: Buffer = Buffer.alloc(0),
  failure: Buffer = Buffer.alloc(0),
): Buffer {
  return element(
    0xb9,
    referenceId,
    integer(0x98, records.length),
    integer(0x99, 0),
    integer(0x9b, failure.length === 0 ? 0 : 5),
    failure.length === 0 ? element(0xbc, ...records) : failure,
  )
}

/** A segment of the answer to Present (3.2.3.2). */
export function segment(records: readonly Buffer[]): Buffer {
  return element(0xbf2d, integer(0x98, records.length), element(0xa0, ...records))
}

export function closeRequest(reason: number, words: string): Buffer {
  return element(0xbf30, integer(0x9f8153, reason), text(0x83, words))
}
