import type { ProxyServer, RetrievalContext } from '../fetcher.ts'
import type { HttpBody } from './body.ts'
import type { ResponseHead } from './response.ts'

export type Deadline = RetrievalContext['deadline']

/** What one request of a retrieval wants, beside what the plan and the caller's wishes say: a retrieval may take several. */
export interface Asking {
  /** [first, last] octets, as RequestOptions.range. */
  readonly range?: readonly [number, number | null]
  /** An entity tag or a date: the range only of that very representation, else the whole (RFC 9110 13.1.5). */
  readonly ifRange?: string
  /** Of this request and its body, where another may follow; default that of the retrieval. */
  readonly deadline?: Deadline
}

/** Sends one request and waits for the head of its answer; the body is still to come, and must be read, returned or discarded. */
export type Ask = (asking: Asking) => Promise<Answer>

export interface Answer {
  readonly head: ResponseHead
  readonly body: HttpBody
  /** The proxy that was asked, and answers for itself or for the server. */
  readonly proxy: ProxyServer | null
}
