import type { Resolution } from '@retriever/core'
import type { Representation, SavedFile } from '../body/representation.ts'
import type { RetrievalEvent } from '../contract/events.ts'
import type { GivenFields, RequestOptions } from '../contract/fetcher.ts'

/** The options of a request that hold for all retrievals of a tree. */
export interface CommonOptions
  extends Pick<
    RequestOptions,
    'accept' | 'acceptLanguage' | 'charset' | 'compressed' | 'digest' | 'limit' | 'virtualHost'
  > {
  /** As RetrieveOptions.headers. */
  readonly headers?: GivenFields
}

/** The options that one retrieval of a tree passes on to the client. */
export interface TreeRequest extends CommonOptions {
  readonly signal?: AbortSignal
}

/** The methods of a Client by which trees are read. */
export interface Retriever {
  resolve(url: string | URL, base?: string): Resolution
  retrieve(url: string | Resolution, options?: TreeRequest): Promise<Representation>
}

/** The options with which mirror() saves a file. */
interface SaveRequest
  extends Pick<CommonOptions, 'compressed' | 'digest' | 'headers' | 'virtualHost'>,
    Pick<RequestOptions, 'ifChangedSince'> {
  readonly signal: AbortSignal
  readonly resume?: boolean
  /** Gets the events of the retrieval. If it throws, the retrieval ends. */
  readonly onEvent?: (event: RetrievalEvent) => void
}

/** The methods of a Client by which trees are brought to disk. */
export interface Saver extends Retriever {
  save(url: string | Resolution, path: string, options: SaveRequest): Promise<SavedFile>
}
