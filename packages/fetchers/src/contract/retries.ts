import type { RetrievalError } from '@retriever/core'
import type { Deadline } from './deadline.ts'
import type { EmittedEvent } from './events.ts'
import type { Limits } from './limits.ts'

/**
 * The errors after which a retrieval is tried again: those that may pass, those and refused connections, or all that
 * occur because a server was contacted.
 */
export type RetryOn = 'transient' | 'refused-connection' | 'any-error'

/** What waiting and trying again need of a RetrievalContext. */
export interface RetryContext {
  readonly url: string
  readonly deadline: Deadline
  readonly limits: Limits
  emit(event: EmittedEvent): void
}

/**
 * The retry budget of one retrieval. It decides after which errors, how often and when a failed step is tried again, by
 * `retryOn`, limits.maxRetries, limits.retryDelay, limits.maxRetryDelay, limits.maxRetryTime and the server's
 * Retry-After. Only substantial progress renews the number of tries.
 */
export interface Retries {
  /**
   * Waits until the failed step may be tried again, from the octet `offset` on. Returns false at once if it may not.
   * Rejects if the retrieval ends during the wait.
   */
  again(error: unknown, context: RetryContext, offset?: number): Promise<boolean>
  /**
   * Waits as again() does, for an error of which the caller knows that its cause may pass. `isFirstAtOnce`: the first
   * further try of the retrieval does not wait.
   */
  wait(
    error: RetrievalError,
    context: RetryContext,
    options: { readonly offset: number; readonly isFirstAtOnce?: boolean },
  ): Promise<boolean>
  /** Counts octets of the body that have arrived. */
  progress(octets: number): void
  /** Makes the final error. After several tries, its message says how many there were. */
  final(error: unknown): unknown
}
