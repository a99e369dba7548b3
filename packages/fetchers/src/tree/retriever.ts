import type { Resolution } from '@retriever/core'
import type { RequestOptions } from '../plugin/fetcher.ts'
import type { Representation } from '../result/representation.ts'

/** The options that one retrieval of a tree passes on to the client. */
export interface TreeRequest
  extends Pick<RequestOptions, 'accept' | 'acceptLanguage' | 'charset' | 'headers' | 'ifChangedSince' | 'limit'> {
  readonly signal?: AbortSignal
}

/** The methods of a Client that trees are read with. */
export interface Retriever {
  resolve(url: string | URL, base?: string): Resolution
  retrieve(url: string | Resolution, options?: TreeRequest): Promise<Representation>
}
