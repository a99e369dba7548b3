import type { Finding, Mechanism } from '@retriever/core'
import type { Entry, RequestOptions, Retrieved } from './fetcher.ts'

/** Options of RetrievalContext.retrieve: those of any request, and the origin of the URL. */
export interface NestedOptions extends RequestOptions {
  /**
   * Whether a server may have chosen the URL: the rules for redirects hold then, so that it leads neither to this
   * machine nor out of TLS, and a login that stands in it is dropped. False: only the caller and this fetcher had a say
   * in it. Default true.
   */
  readonly pointedTo?: boolean
}

/**
 * The representation that RetrievalContext.retrieve gives: a client's Representation, as far as a fetcher needs it.
 * Read its body, once, or cancel it. As an iterable of chunks it may be the `body` of the fetcher's own outcome.
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
  /** Further data of the protocol, as the fetcher of the mechanism gives it. */
  readonly metadata: unknown
  /** Whether entries() gives entries. */
  readonly hasEntries: boolean
  entries(): AsyncIterable<Entry>
  /** All octets, up to limits.maxCollected; text() and json() likewise. */
  bytes(): Promise<Uint8Array>
  text(): Promise<string>
  json<T = unknown>(): Promise<T>
  cancel(): Promise<void>
}
