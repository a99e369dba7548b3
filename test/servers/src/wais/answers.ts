import { diagnostic, field, fieldsOf, numberField, searchResponse, textOf } from './apdu.ts'
import { databases, ownDocuments, type SeedDocument } from './seed.ts'

/** The answer to a search APDU; null: the server takes nothing but searches, and closes the connection. */
export function answerTo(apdu: Buffer): { readonly line: string; readonly packet: Buffer } | null {
  if (apdu[2] !== 22) return null
  const headerEnd = 2 + apdu.readUInt16BE()
  // Type, three sizes of three octets, and the replace indicator stand before the fields.
  const header = fieldsOf(apdu.subarray(13, headerEnd))
  const database = textOf(header, 18)
  const rest = fieldsOf(apdu.subarray(headerEnd))
  if (textOf(header, 20) === '1') {
    const wanted = readQuery(rest.find(({ tag }) => tag === 21)?.value ?? Buffer.alloc(0))
    const line = `RETRIEVE ${database} ${wanted.type} ${wanted.path} ${wanted.start} ${wanted.end}`
    return { line, packet: retrieval(database, wanted, textOf(header, 2)) }
  }
  const query = fieldsOf(rest.find(({ tag }) => tag === 99)?.value ?? Buffer.alloc(0))
  const words = textOf(query, 106)
  const most = query.find(({ tag }) => tag === 114)?.value
  const relevant = query.filter(({ tag }) => tag === 116).map(({ value }) => pathOf(value))
  const limit = most === undefined ? 40 : most.readUIntBE(0, most.length)
  const line = ['SEARCH', database, words, ...relevant.map((path) => `relevant-to ${path}`)].join(' ')
  return { line, packet: search(database, words, limit, relevant) }
}

interface Wanted {
  readonly path: string
  readonly type: string
  readonly start: number
  readonly end: number
}

/** The terms of a retrieval (RFC 1625 5), by the attributes before them. */
function readQuery(octets: Buffer): Wanted {
  const terms = new Map<string, Buffer>()
  let attributes = ''
  for (const { tag, value } of fieldsOf(octets)) {
    if (tag === 44) attributes = value.toString('latin1', 0, 5)
    if (tag === 45) terms.set(attributes, value)
  }
  const text = (name: string): string => terms.get(name)?.toString('latin1') ?? ''
  return {
    path: pathOf(terms.get('un re') ?? Buffer.alloc(0)),
    type: text('wt re'),
    start: Number(text('wb ro')),
    end: Number(text('wb rl')),
  }
}

/** The file that a document-id names: its local id is `start end path`. */
function pathOf(docid: Buffer): string {
  return textOf(fieldsOf(docid), 3).replace(/^\d+ \d+ /, '')
}

function search(database: string, words: string, limit: number, relevant: readonly string[]): Buffer {
  const documents = Object.hasOwn(databases, database) ? databases[database] : undefined
  if (documents === undefined) {
    return searchResponse(0, '', [diagnostic('S1', `The following database is not available: ${database}`, 0)])
  }
  const own = ownDocuments(database)
  if (words.trim() === '')
    return searchResponse(
      1,
      '',
      own.map((each) => record(each, database, 1000, false)),
    )
  const wanted = words.toLowerCase().split(/\s+/)
  const found = documents
    .map((document) => ({ document, score: scoreOf(document, wanted) + (relevant.includes(document.path) ? 500 : 0) }))
    .filter(({ score }) => score > 0)
    .sort((one, other) => other.score - one.score)
    .slice(0, limit)
  const records = found.map(({ document, score }) => record(document, database, score, true))
  // Without a match, freeWAIS shows the catalogue.
  const catalogue = own.slice(-1).map((each) => record(each, database, 0, false))
  return searchResponse(1, '', records.length === 0 ? catalogue : records)
}

function scoreOf({ types }: SeedDocument, words: readonly string[]): number {
  const [content = Buffer.alloc(0)] = Object.values(types)
  const text = content.toString('latin1').toLowerCase()
  return words.reduce((sum, word) => sum + 100 * (text.split(word).length - 1), 0)
}

function docidOf({ path, types }: SeedDocument, database: string, isWhole: boolean): Buffer {
  const [content = Buffer.alloc(0)] = Object.values(types)
  const local = `0 ${isWhole ? content.length : 0} ${path}`
  const copyright = numberField(7, 0)
  if (!isWhole) return Buffer.concat([field(2, database), field(3, local), copyright])
  const place = (first: number): Buffer[] => [
    field(first, 'test:210'),
    field(first + 1, `/idx/${database}`),
    field(first + 2, local),
  ]
  return Buffer.concat([...place(1), ...place(4), copyright])
}

/** A document header (tag 150). Those of the database itself have a shorter id. */
function record(document: SeedDocument, database: string, score: number, isWhole: boolean): Buffer {
  const [content = Buffer.alloc(0)] = Object.values(document.types)
  return field(
    150,
    field(116, docidOf(document, database, isWhole)),
    numberField(118, score),
    numberField(119, 0),
    numberField(120, content.length),
    numberField(131, content.toString('latin1').split('\n').length),
    field(132, ...Object.keys(document.types).map((type) => field(133, type))),
    field(121, `/idx/${database}`),
    field(122, '0'),
    field(123, document.headline),
  )
}

function retrieval(database: string, { path, type, start, end }: Wanted, reference: string): Buffer {
  const all = Object.hasOwn(databases, database) ? [...(databases[database] ?? []), ...ownDocuments(database)] : []
  const document = all.find((each) => each.path === path)
  const content = document !== undefined && Object.hasOwn(document.types, type) ? document.types[type] : undefined
  if (document === undefined || content === undefined) {
    return searchResponse(0, reference, [diagnostic('SF', 'Missing DocID in request', 1)])
  }
  const isBeyond = end > content.length || (start >= content.length && content.length > 0)
  const text = field(
    153,
    field(116, docidOf(document, database, true)),
    numberField(117, 0),
    field(127, content.subarray(start, end)),
  )
  return searchResponse(0, reference, [text, ...(isBeyond ? [diagnostic('SF', 'Request out of range', 1)] : [])])
}
