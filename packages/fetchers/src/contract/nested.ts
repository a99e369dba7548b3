import type { Finding, Mechanism } from '@retriever/core'
import type { Entry, RequestOptions, Retrieved } from './fetcher.ts'

/** Options of RetrievalContext.retrieve: those of any request, and who chose the URL. */
export interface NestedOptions extends RequestOptions {
  /**
   * Whether a server may have chosen the URL. If so, the rules for redirects apply: the URL may lead neither to this
   * machine nor out of TLS, and a login in it is dropped. False if only the caller and this fetcher chose it. Default
   * true.
   */
  readonly pointedTo?: boolean
}

/**
 * What RetrievalContext.retrieve gives: those parts of a client's Representation that a fetcher needs. Read its body
 * once, or cancel it. As an iterable of chunks, it may be the `body` of the fetcher's own outcome.
 */
export interface NestedRepresentation extends AsyncIterable<Uint8Array> {
  /** The final URL after redirects, without its password. */
  readonly url: string
  readonly mechanism: Mechanism
  readonly kind: Retrieved['kind']
  readonly mediaType: string | null
  readonly charset: string | null
  /** Octets; null if unknown. */
  readonly size: number | null
  readonly offset: number
  readonly modified: Date | null
  readonly etag: string | null
  readonly completeness: Retrieved['completeness']
  readonly findings: readonly Finding[]
  /** Further data of the protocol, as the mechanism's fetcher gives them. */
  readonly metadata: unknown
  /** Whether entries() gives entries. */
  readonly hasEntries: boolean
  entries(): AsyncIterable<Entry>
  /** Returns all octets, up to limits.maxCollected. The same holds for text() and json(). */
  bytes(): Promise<Uint8Array>
  text(): Promise<string>
  json<T = unknown>(): Promise<T>
  cancel(): Promise<void>
}
