import { diagnostic, field, initApdu, numberField, packet, searchApdu } from './apdu.ts'
import type { WaisCollection, WaisRecord } from './collection.ts'
import { type DocumentRequest, type Range, readRequest, type SearchRequest } from './requests.ts'
import { pathOf } from './seed-collection.ts'

/** The most octets that freeWAIS sends to a client without Init. */
const usualSize = 100_000

/** What one connection has agreed on, and the answers to its requests. They are those of freeWAIS-sf 2.2.10. */
export class WaisAnswers {
  readonly #collection: WaisCollection
  #maxSize = usualSize

  constructor(collection: WaisCollection) {
    this.#collection = collection
  }

  /**
   * The answer to an APDU, and a line for the server's records; null if the real server would end. `header` is what
   * follows the type in the packet of the request.
   */
  answer(apdu: Buffer, header: string): { readonly line: string; readonly packet: Buffer } | null {
    const request = readRequest(apdu)
    const version = header[0]
    if (version !== '1' && version !== '2') return null
    switch (request.kind) {
      case 'deadly':
        return null
      case 'unknown':
        return { line: 'UNKNOWN', packet: packet(Buffer.alloc(0), header) }
      case 'init': {
        const size = request.fields.find(({ tag }) => tag === 6)?.value
        if (size !== undefined && size.length > 0 && size.length <= 6) this.#maxSize = size.readUIntBE(0, size.length)
        return { line: 'INIT', packet: packet(initApdu(request.fields), header) }
      }
      case 'search': {
        const { database, words, relevant } = request
        const line = ['SEARCH', database, words, ...relevant.map((docid) => `relevant-to ${pathOf(docid)}`)].join(' ')
        return { line, packet: packet(this.#search(request, version === '2'), header) }
      }
      case 'document': {
        const { database, type, docid, range } = request
        const { start = '', end = '' } = range ?? {}
        const line = `RETRIEVE ${database} ${type} ${pathOf(docid)} ${start} ${end}`
        return { line, packet: packet(this.#document(request), header) }
      }
    }
  }

  /** Documents that do not fit into a packet are left out without notice. */
  #search(request: SearchRequest, hasTypes: boolean): Buffer {
    const { records, diagnostics } = this.#collection.search(request)
    const status = diagnostics.length === 0 ? 1 : 0
    const reasons = diagnostics.map(([code, words]) => diagnostic(code, words, 0))
    const found: Buffer[] = []
    for (const each of records) {
      found.push(recordField(each, hasTypes))
      if (searchApdu({ status }, [...found, ...reasons]).length <= this.#maxSize) continue
      found.pop()
      break
    }
    return searchApdu({ status }, [...found, ...reasons])
  }

  #document({ docid, type, database, range, reference }: DocumentRequest): Buffer {
    const content = this.#collection.document(docid, type, database)
    if (content === null) {
      return searchApdu({ status: 0, reference }, [diagnostic('SF', 'Missing DocID in request', 1)])
    }
    // Without a range, the answer announces a record and has none.
    if (range === null) return searchApdu({ status: 0, reference, count: 1 }, [])
    const { start, end } = range.unit === 'lines' ? lineRange(content, range) : range
    const octets = content.subarray(start, end)
    const text = field(153, field(116, docid), numberField(117, 0), field(127, octets))
    const isBeyond = end > content.length || (start >= content.length && content.length > 0)
    const reasons = isBeyond ? [diagnostic('SF', 'Request out of range', 1)] : []
    const apdu = searchApdu({ status: 0, reference }, [text, ...reasons])
    return apdu.length > this.#maxSize ? Buffer.alloc(0) : apdu
  }
}

/** The octets of lines, counted from 0. */
function lineRange(content: Buffer, { start, end }: Range): Pick<Range, 'start' | 'end'> {
  const lines = content.toString('latin1').split(/(?<=\n)/)
  const lengthOf = (count: number): number => lines.slice(0, count).join('').length
  return { start: lengthOf(start), end: lengthOf(end) }
}

/** A document header (tag 150). Clients of the first version do not know types. */
function recordField(
  { docid, score, length, lines, types, source, date, headline }: WaisRecord,
  hasTypes: boolean,
): Buffer {
  return field(
    150,
    field(116, docid),
    numberField(118, score),
    ...(date === null ? [] : [numberField(119, 0)]),
    numberField(120, length),
    numberField(131, lines),
    ...(hasTypes ? [field(132, ...types.map((type) => field(133, type)))] : []),
    field(121, source),
    ...(date === null ? [] : [field(122, date)]),
    field(123, headline),
  )
}
