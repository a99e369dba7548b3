import type { RetrievalError } from '@retriever/core'
import type { Deadline } from './deadline.ts'
import type { EmittedEvent } from './events.ts'
import type { Limits } from './limits.ts'

/**
 * The errors after which a retrieval is tried again: those that may pass, those and refused connections, or all that
 * come of contacting the server.
 */
export type RetryOn = 'transient' | 'refused-connection' | 'any-error'

/** The part of a RetrievalContext that waiting and trying again needs. */
export interface RetryContext {
  readonly url: string
  readonly deadline: Deadline
  readonly limits: Limits
  emit(event: EmittedEvent): void
}

/**
 * The retry budget of one retrieval: which errors, how often and when a failed step is tried again, by `retryOn`,
 * limits.maxRetries, limits.retryDelay, limits.maxRetryDelay, limits.maxRetryTime and the server's Retry-After. Only
 * substantial progress renews the number of tries.
 */
export interface Retries {
  /**
   * Waits until the failed step may be tried again, from the octet `offset` on. Gives false at once if the error
   * stands. Rejects if the retrieval ends meanwhile.
   */
  again(error: unknown, context: RetryContext, offset?: number): Promise<boolean>
  /**
   * The same for an error whose cause may pass, as the caller knows. `isFirstAtOnce`: the first further try of the
   * retrieval does not wait.
   */
  wait(
    error: RetrievalError,
    context: RetryContext,
    options: { readonly offset: number; readonly isFirstAtOnce?: boolean },
  ): Promise<boolean>
  /** Counts octets of the body that have come. */
  progress(octets: number): void
  /** The final error: after several tries, its message says how many there were. */
  final(error: unknown): unknown
}
