import type { ByteSource } from '../plugin/byte-source.ts'
import type { RetrievalContext } from '../plugin/fetcher.ts'
import type { ProxyServer } from '../plugin/network.ts'
import type { ResponseHead } from './response.ts'

export type Deadline = RetrievalContext['deadline']

/** What one request of a retrieval wants, beside what the plan and the caller's wishes say: a retrieval may take several. */
export interface RangeRequest {
  /** [first, last] octets, as RequestOptions.range. */
  readonly range?: readonly [number, number | null]
  /** An entity tag or a date: the range only of that very representation, else the whole (RFC 9110 13.1.5). */
  readonly ifRange?: string
  /** Of this request and its body, where another may follow; default that of the retrieval. */
  readonly deadline?: Deadline
}

/** Sends one request and waits for the head of its answer; the body is still to come, and must be read, returned or discarded. */
export type SendRequest = (asking: RangeRequest) => Promise<Answer>

export interface Answer {
  readonly head: ResponseHead
  readonly body: ByteSource
  /** The proxy that was asked, and answers for itself or for the server. */
  readonly proxy: ProxyServer | null
  /** The address of the server that answers; absent behind a proxy, and where a cache answers. */
  readonly peerAddress?: string | undefined
  /**
   * All of the body is here, or in the cache: nothing of it can break off, and where it is damaged, no further request
   * may complete it.
   */
  readonly isWhole?: boolean
  /** The end of the body is proved by the protocol, also where no length and no last chunk does. */
  readonly provesEnd?: boolean
  /** What the cache had to do with it; absent: nothing. */
  readonly cache?: CacheUse
}

export interface CacheUse {
  /** The body is the cache's. */
  readonly hit: boolean
  /** Seconds since the server made it, or found it to be still the same; null: it comes from there now. */
  readonly age: number | null
}
