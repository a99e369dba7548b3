import { field, fieldsOf, numberField, textOf } from './apdu.ts'
import type { WaisCollection, WaisFound, WaisRecord } from './collection.ts'
import { databases, ownDocuments, type SeedDocument } from './seed.ts'

/** The documents of the seed. Each occurrence of a word adds one to the score. */
export const seedCollection: WaisCollection = {
  search({ database, words, most, relevant }): WaisFound {
    const documents = documentsOf(database)
    if (documents === null) {
      const message = `The following database is not available: ${database}`
      return { records: [], diagnostics: [['S1', message]] }
    }
    const own = ownDocuments(database)
    const found = (documents: readonly SeedDocument[], score: number): WaisFound => ({
      records: documents.map((each) => record(each, database, score, false)),
      diagnostics: [],
    })
    if (words.trim() === '') return found(own, 1000)
    const wanted = words.toLowerCase().split(/\s+/)
    const paths = relevant.map(pathOf)
    const records = documents
      .map((document) => ({ document, score: scoreOf(document, wanted) + (paths.includes(document.path) ? 500 : 0) }))
      .filter(({ score }) => score > 0)
      .sort((one, other) => other.score - one.score)
      .slice(0, most)
      .map(({ document, score }) => record(document, database, score, true))
    // If nothing matches, freeWAIS shows the catalogue.
    return records.length === 0 ? found(own.slice(-1), 0) : { records, diagnostics: [] }
  },
  document(docid, type, database) {
    const path = pathOf(docid)
    const all = [...(documentsOf(database) ?? []), ...ownDocuments(database)]
    const types = all.find((each) => each.path === path)?.types
    return types !== undefined && Object.hasOwn(types, type) ? (types[type] ?? null) : null
  },
}

function documentsOf(database: string): readonly SeedDocument[] | null {
  return Object.hasOwn(databases, database) ? (databases[database] ?? null) : null
}

/** The file that a document-id names. Its local id is `start end path`. */
export function pathOf(docid: string): string {
  return textOf(fieldsOf(Buffer.from(docid, 'latin1')), 3).replace(/^\d+ \d+ /, '')
}

function scoreOf({ types }: SeedDocument, words: readonly string[]): number {
  const [content = Buffer.alloc(0)] = Object.values(types)
  const text = content.toString('latin1').toLowerCase()
  return words.reduce((sum, word) => sum + 100 * (text.split(word).length - 1), 0)
}

/** The record of a document. Documents about the database itself have a shorter id and no date. */
function record(document: SeedDocument, database: string, score: number, isWhole: boolean): WaisRecord {
  const { types, headline } = document
  const [content = Buffer.alloc(0)] = Object.values(types)
  return {
    docid: docidOf(document, database, isWhole).toString('latin1'),
    score,
    length: content.length,
    lines: content.toString('latin1').split('\n').length,
    types: Object.keys(types),
    source: isWhole ? `/idx/${database}` : database,
    date: isWhole ? '0' : null,
    headline,
  }
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
