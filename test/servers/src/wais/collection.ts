import type { SearchRequest } from './requests.ts'

/** A document that a search has found. Texts are octets, one a character. */
export interface WaisRecord {
  readonly docid: string
  readonly score: number
  readonly length: number
  readonly lines: number
  readonly types: readonly string[]
  /** The name of the database, or its path. */
  readonly source: string
  /** Null: the record has neither a date nor a mark of the best match, as those of a database's own documents. */
  readonly date: string | null
  readonly headline: string
}

/** What a search gives. */
export interface WaisFound {
  readonly records: readonly WaisRecord[]
  /** The code of a diagnostic, and its words. */
  readonly diagnostics: readonly (readonly [code: string, words: string])[]
}

/** The documents of a server, and what is found in them. */
export interface WaisCollection {
  search(request: Pick<SearchRequest, 'database' | 'words' | 'most' | 'relevant'>): WaisFound
  /** The octets of a document; null: there is none. */
  document(docid: string, type: string, database: string): Buffer | null
}
