import type { Resolution } from '@retriever/core'
import type { Representation, SavedFile } from '../body/representation.ts'
import type { RetrievalEvent } from '../contract/events.ts'
import type { GivenFields, RequestOptions } from '../contract/fetcher.ts'
import type { NamedOptions, NamedTreeOptions, OptionKinds } from '../contract/options.ts'
import { forOtherOrigin } from '../kit/request-options.ts'

/** The request options that apply to all retrievals of a tree. */
export interface CommonOptions
  extends Pick<RequestOptions, 'accept' | 'acceptLanguage' | 'charset' | 'digest' | 'limit'>,
    NamedTreeOptions {
  /** See RetrieveOptions.headers. */
  readonly headers?: GivenFields
}

/** The options of one retrieval in a tree that are passed to the client. */
export interface TreeRequest extends CommonOptions {
  readonly signal?: AbortSignal
  /** See RetrieveOptions.linkedFrom. */
  readonly linkedFrom?: string
}

/** The methods of a Client that read trees. */
export interface Retriever {
  /** The checks of the options under the names of mechanisms. */
  readonly namedKinds: OptionKinds
  resolve(url: string | URL, base?: string): Resolution
  retrieve(url: string | Resolution, options?: TreeRequest): Promise<Representation>
}

/** The options with which mirror() saves a file. */
interface SaveRequest
  extends Pick<CommonOptions, 'digest' | 'headers'>,
    NamedOptions,
    Pick<RequestOptions, 'ifChangedSince'> {
  readonly linkedFrom?: string
  readonly signal: AbortSignal
  readonly resume?: boolean
  /** Called with the events of the retrieval. If it throws, the retrieval ends. */
  readonly onEvent?: (event: RetrievalEvent) => void
}

/** The options with which mirror() retrieves a page. */
export interface PageRequest
  extends Omit<TreeRequest, keyof NamedTreeOptions>,
    NamedOptions,
    Pick<RequestOptions, 'head' | 'ifChangedSince'>,
    Pick<SaveRequest, 'onEvent'> {
  readonly limits?: { readonly maxCollected: number }
}

/** The methods of a Client that save trees. */
export interface Saver extends Retriever {
  retrieve(url: string | Resolution, options?: PageRequest): Promise<Representation>
  save(url: string | Resolution, path: string, options: SaveRequest): Promise<SavedFile>
}

/** The options for what a listing names; with `linkedFrom` it is on a server that the caller has not chosen. */
export function requestFor<T extends TreeRequest>(request: T, linkedFrom: string | undefined): T {
  return linkedFrom === undefined ? request : { ...forOtherOrigin(request), linkedFrom }
}

/** The options under the names of mechanisms. */
export function namedOf(options: NamedTreeOptions, { namedKinds }: Retriever): NamedTreeOptions {
  const given = Object.entries(options).filter(
    ([name, value]) => Object.hasOwn(namedKinds, name) && value !== undefined,
  )
  return Object.fromEntries(given)
}
