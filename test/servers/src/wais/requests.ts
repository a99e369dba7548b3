import { type Field, fieldsOf, textOf } from './apdu.ts'

/** Init (RFC 1625 4): the packet sizes that the client offers, as it wrote them. */
export interface InitRequest {
  readonly kind: 'init'
  readonly fields: readonly Field[]
}

/** A search for words, and for documents like others. Texts are octets, one a character. */
export interface SearchRequest {
  readonly kind: 'search'
  readonly database: string
  readonly words: string
  /** The most documents to find. */
  readonly most: number
  /** The document-ids for relevance feedback. */
  readonly relevant: readonly string[]
}

/** The octets or lines of a document from `start` up to `end`. */
export interface Range {
  readonly unit: 'octets' | 'lines'
  readonly start: number
  readonly end: number
}

/** A search for a part of a document. */
export interface DocumentRequest {
  readonly kind: 'document'
  readonly database: string
  readonly docid: string
  readonly type: string
  /** The range; null if the request has none. */
  readonly range: Range | null
  /** The reference-id, which the answer repeats. */
  readonly reference: string
}

/** freeWAIS answers an `unknown` request with an empty packet. A `deadly` one ends the real server. */
export type Request = InitRequest | SearchRequest | DocumentRequest | { readonly kind: 'unknown' | 'deadly' }

/** Reads the APDU of a request. */
export function readRequest(apdu: Buffer): Request {
  if (apdu.length < 3) return { kind: 'unknown' }
  const headerEnd = 2 + apdu.readUInt16BE()
  if (apdu[2] === 20) return { kind: 'init', fields: fieldsOf(apdu.subarray(3, headerEnd)) }
  if (apdu[2] !== 22) return { kind: 'unknown' }
  // Type, three sizes of three octets, and the replace indicator precede the fields.
  const header = fieldsOf(apdu.subarray(13, headerEnd))
  // Only the first of several databases is searched.
  const [database = ''] = textOf(header, 18).split('\x1f')
  const rest = fieldsOf(apdu.subarray(headerEnd))
  if (textOf(header, 20) === '1') return readQuery(octetsOf(rest, 21), database, textOf(header, 2))
  const query = fieldsOf(octetsOf(rest, 99))
  if (query.some(({ tag }) => tag === 107)) return { kind: 'deadly' }
  const most = octetsOf(query, 114)
  return {
    kind: 'search',
    database,
    words: textOf(query, 106),
    most: most.length === 0 || most.length > 6 ? 40 : most.readUIntBE(0, most.length),
    relevant: query.filter(({ tag }) => tag === 116).map(({ value }) => value.toString('latin1')),
  }
}

/** Reads the terms of a retrieval (RFC 1625 5). The attributes before each say what it is. */
function readQuery(octets: Buffer, database: string, reference: string): Request {
  const terms: { readonly use: string; readonly value: string }[] = []
  let use = ''
  for (const { tag, value } of fieldsOf(octets)) {
    if (tag === 44) use = value.toString('latin1', 0, 2)
    if (tag === 45) terms.push({ use, value: value.toString('latin1') })
  }
  const valuesOf = (wanted: string): string[] => terms.flatMap((term) => (term.use === wanted ? [term.value] : []))
  const [docid = ''] = valuesOf('un')
  const [type] = valuesOf('wt')
  const tags = fieldsOf(Buffer.from(docid, 'latin1')).map(({ tag }) => tag)
  if (type === undefined || (tags.includes(3) && !tags.includes(2))) return { kind: 'deadly' }
  const unit = terms.some((term) => term.use === 'wl') ? 'lines' : 'octets'
  // The order of the terms tells start from end, since an example of RFC 1625 gives both the relation `ro`.
  const [start, end] = valuesOf(unit === 'lines' ? 'wl' : 'wb')
  const range =
    start === undefined || end === undefined ? null : ({ unit, start: Number(start), end: Number(end) } as const)
  return { kind: 'document', database, docid, type, range, reference }
}

function octetsOf(fields: readonly Field[], wanted: number): Buffer {
  return fields.find(({ tag }) => tag === wanted)?.value ?? Buffer.alloc(0)
}
