import type { Resolution } from '@retriever/core'
import type { Representation, SavedFile } from '../body/representation.ts'
import type { RetrievalEvent } from '../contract/events.ts'
import type { GivenFields, RequestOptions } from '../contract/fetcher.ts'
import type { NamedTreeOptions, OptionKinds } from '../contract/options.ts'

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
    NamedTreeOptions,
    Pick<RequestOptions, 'ifChangedSince'> {
  readonly signal: AbortSignal
  readonly resume?: boolean
  /** Called with the events of the retrieval. If it throws, the retrieval ends. */
  readonly onEvent?: (event: RetrievalEvent) => void
}

/** The methods of a Client that save trees. */
export interface Saver extends Retriever {
  save(url: string | Resolution, path: string, options: SaveRequest): Promise<SavedFile>
}

/** The options under the names of mechanisms. */
export function namedOf(options: NamedTreeOptions, { namedKinds }: Retriever): NamedTreeOptions {
  const given = Object.entries(options).filter(
    ([name, value]) => Object.hasOwn(namedKinds, name) && value !== undefined,
  )
  return Object.fromEntries(given)
}
