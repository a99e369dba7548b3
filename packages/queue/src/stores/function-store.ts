import type { Representation } from '@retriever/fetchers'
import { invalidOption } from '@retriever/fetchers/plugin'
import type { Store, StoredUrl } from './store.ts'

/** A store of two functions, for S3 and the like. */
export interface StoreFunctions {
  readonly has: (url: StoredUrl) => boolean | Promise<boolean>
  /** Creates a record if there is none (`If-None-Match: *`). Other results than false mean that it has. */
  readonly put: (url: StoredUrl, representation: Representation) => unknown
}

/** Makes a store of two functions. Throws `invalid-option`. */
export function functionStore({ has, put }: StoreFunctions): Store {
  if (typeof has !== 'function') throw invalidOption('has', 'a function', has)
  if (typeof put !== 'function') throw invalidOption('put', 'a function', put)
  return {
    has: (url) => has(url),
    put: async (url, representation) => (await put(url, representation)) !== false,
  }
}
