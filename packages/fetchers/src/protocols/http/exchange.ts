import type { ByteSource } from '../../contract/byte-source.ts'
import type { OctetRange, RetrievalContext } from '../../contract/fetcher.ts'
import type { ProxyServer } from '../../contract/network.ts'
import type { ResponseHead } from './response.ts'

export type Deadline = RetrievalContext['deadline']

/** How one request of a retrieval differs from the others, since a retrieval may send several. */
export interface RangeRequest {
  /** The [first, last] octets, as RequestOptions.range. */
  readonly range?: OctetRange
  /**
   * An entity tag or a date. The server sends the range only if the representation still has it, and otherwise the
   * whole of the new one (RFC 9110 13.1.5).
   */
  readonly ifRange?: string
  /** The deadline of this request and its body, if another request may follow. Default: that of the retrieval. */
  readonly deadline?: Deadline
}

/** Sends one request and waits for the head of the response. Its body must be read, returned or discarded. */
export type SendRequest = (request: RangeRequest) => Promise<Answer>

export interface Answer {
  readonly head: ResponseHead
  readonly body: ByteSource
  /** The proxy that was asked for the URL. It answers for itself or for the server. */
  readonly proxy: ProxyServer | null
  /** The address of the server that answers. Absent through a proxy, and if the cache answers. */
  readonly peerAddress?: string | undefined
  /**
   * True if the whole body is here or in the cache. It cannot break off, and if it is damaged, no further request can
   * complete it.
   */
  readonly isWhole?: boolean
  /** True if the protocol proves the end of the body even without a length or a last chunk (HTTP/2, TLS). */
  readonly provesEnd?: boolean
  /** How the cache was used. Absent: it was not used. */
  readonly cache?: CacheUse
}

export interface CacheUse {
  /** Whether the body comes from the cache. */
  readonly hit: boolean
  /** Seconds since the server made or revalidated the response. Null: it comes from the server now. */
  readonly age: number | null
}
