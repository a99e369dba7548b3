import type { WaisCollection, WaisFound, WaisRecord } from '@retriever/servers'
import { type Field, fieldsOf, fieldValue, numberOf, readLoosely, readRecordedAnswer } from './fields.ts'
import type { Exchange } from './recording.ts'

/** The documents of a recording: a search finds what the real server found, and a document has the octets it had. */
export function recordedCollection(exchanges: readonly Exchange[]): WaisCollection {
  const searches = new Map<string, WaisFound>()
  const documents = new Map<string, Buffer>()
  for (const { request, answer } of exchanges) {
    const [asked, told] = [readLoosely(request), readRecordedAnswer(answer)]
    if (asked === null || told === null) continue
    if (asked.kind === 'search') {
      const diagnostics = told.diagnostics.map((text) => [text.slice(0, 2), text.slice(3)] as const)
      const [database = ''] = asked.database.split('\x1f')
      searches.set(keyOf(database, asked.words), { records: told.documents.map(recordOf), diagnostics })
      continue
    }
    // Where no range was asked, the document is there, and nothing of it comes.
    const isThere = told.texts.length > 0 || told.diagnostics.length === 0
    if (!isThere) continue
    const content = documents.get(asked.docid) ?? Buffer.alloc(lengthOf(asked.docid, told.texts, told.diagnostics))
    content.write(told.texts.join(''), Math.min(asked.start, content.length), 'latin1')
    documents.set(asked.docid, content)
  }
  return {
    search: ({ database, words }) => searches.get(keyOf(database, words)) ?? { records: [], diagnostics: [] },
    document: (docid) => documents.get(docid) ?? null,
  }
}

function keyOf(database: string, words: string): string {
  return `${database}\0${words}`
}

/** The local id is `start end path`; 0 and 0 stand for a whole file, of which the text that came must be enough. */
function lengthOf(docid: string, texts: readonly string[], diagnostics: readonly string[]): number {
  const local = fieldValue(fieldsOf(docid), 3) ?? ''
  const [, start = '0', end = '0'] = /^(\d+) (\d+) /.exec(local) ?? []
  const length = Number(end) - Number(start)
  if (length > 0 || diagnostics.length > 0) return length
  return texts.join('').length
}

function recordOf(fields: readonly Field[]): WaisRecord {
  const text = (tag: number): string => fieldValue(fields, tag) ?? ''
  return {
    docid: text(116),
    score: numberOf(text(118)),
    length: numberOf(text(120)),
    lines: numberOf(text(131)),
    types: fieldsOf(text(132)).map(([, value]) => value),
    source: text(121),
    date: fieldValue(fields, 122) ?? null,
    headline: text(123),
  }
}
