import type { SearchRequest } from './requests.ts'

/** A document that a search found. Texts are octets, one char each. */
export interface WaisRecord {
  readonly docid: string
  readonly score: number
  readonly length: number
  readonly lines: number
  readonly types: readonly string[]
  /** The name of the database, or its path. */
  readonly source: string
  /**
   * The date; null if the record has neither a date nor the mark of the best match, as those of a database's own
   * documents.
   */
  readonly date: string | null
  readonly headline: string
}

/** The result of a search. */
export interface WaisFound {
  readonly records: readonly WaisRecord[]
  /** The code and the words of each diagnostic. */
  readonly diagnostics: readonly (readonly [code: string, words: string])[]
}

/** The documents of a server, and the search in them. */
export interface WaisCollection {
  search(request: Pick<SearchRequest, 'database' | 'words' | 'most' | 'relevant'>): WaisFound
  /** The octets of a document; null if it does not exist. */
  document(docid: string, type: string, database: string): Buffer | null
}
