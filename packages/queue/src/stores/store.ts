import type { Representation } from '@retriever/fetchers'

/** A URL that a store is asked about. */
export interface StoredUrl {
  readonly url: string
  /** 32 hexadecimal digits, the same for all spellings of a URL: a name for its record. */
  readonly id: string
}

/** Where workers keep what they retrieve. All workers of a queue use the same. */
export interface Store {
  /** Whether there is a record of the URL. Asked before each retrieval: what is there is not retrieved again. */
  has(url: StoredUrl): boolean | Promise<boolean>
  /**
   * Keeps a representation, and reads its body. Resolves to true once the record is complete under its final name; to
   * false if somebody else has made one meanwhile, which then stays. Two workers may call it for one URL, if the first
   * was thought dead. An error of the body (RetrievalError, other than `write-failed`) is the URL's; any other one is
   * the store's, and ends the worker.
   */
  put(url: StoredUrl, representation: Representation): Promise<boolean>
}
