import { type ErrorCode, type Phase, RetrievalError } from '@retriever/core'
import type { EmittedEvent } from '../contract/events.ts'
import type { Limits } from '../contract/limits.ts'
import { type Deadline, pause } from './deadline.ts'

/** The first wait; each further one is twice as long. curl and apt begin with one second too. */
const firstDelay = 1000
/** The shortest wait, even for `Retry-After: 0`, because the server failed a moment ago. */
const leastDelay = 100
/** Octets between two failures that renew the budget. A server that cuts a body more often than that is given up. */
const substantial = 1024 * 1024

/**
 * The errors after which a retrieval is tried again: those that may pass, those and refused connections, or all that
 * come of contacting the server.
 */
export type RetryOn = 'transient' | 'refused-connection' | 'any-error'

/** The phases whose errors do not come of the server. */
const ownPhases: ReadonlySet<Phase> = new Set(['resolve', 'policy', 'save'])
/** The codes of what is not the failure of a try: an answer that was asked for, and limits that the caller has set. */
const decided: ReadonlySet<ErrorCode> = new Set(['not-modified', 'handoff', 'limit-exceeded', 'refused', 'aborted'])

/** The part of a RetrievalContext that waiting and trying again needs. */
interface RetryContext {
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
export class Retries {
  /** Further tries: all of them, and those since the budget was renewed. */
  #tries = 0
  #spent = 0
  /** Octets of the body: all of them, and those since the last failure. */
  #received = 0
  #sinceFailure = 0

  readonly #retryOn: RetryOn
  readonly #began: number = performance.now()

  /** `before`: a budget to go on with the rest of, or the errors for a new one. */
  constructor(before: Retries | RetryOn = 'transient') {
    this.#retryOn = typeof before === 'string' ? before : before.#retryOn
    if (typeof before === 'string') return
    this.#tries = before.#tries
    this.#spent = before.#spent
    this.#began = before.#began
  }

  /**
   * Waits until the failed step may be tried again, from the octet `offset` on. Gives false at once if the error
   * stands. Rejects if the retrieval ends meanwhile.
   */
  async again(error: unknown, context: RetryContext, offset = 0): Promise<boolean> {
    return RetrievalError.is(error) && this.#mayPass(error) && this.wait(error, context, { offset })
  }

  /**
   * The same for an error whose cause may pass, as the caller knows. `isFirstAtOnce`: the first further try of the
   * retrieval does not wait.
   */
  async wait(
    error: RetrievalError,
    context: RetryContext,
    { offset, isFirstAtOnce = false }: { readonly offset: number; readonly isFirstAtOnce?: boolean },
  ): Promise<boolean> {
    const { limits, deadline, emit, url } = context
    if (this.#sinceFailure >= substantial) this.#spent = 0
    this.#sinceFailure = 0
    if (this.#spent >= limits.maxRetries) return false
    const elapsed = performance.now() - this.#began
    if (elapsed >= limits.maxRetryTime) return false
    // security.md R12: a server's wait of an hour is reported to the caller, not waited for.
    if (error.retryAfter !== undefined && error.retryAfter > limits.maxRetryDelay) return false
    const isAtOnce = isFirstAtOnce && this.#tries === 0
    const delay = isAtOnce ? 0 : this.#delay(error, limits)
    if (error.retryAfter !== undefined && elapsed + delay > limits.maxRetryTime) return false
    this.#spent++
    this.#tries++
    emit({ type: 'retried', url, error, delay, ...(offset > 0 && { offset }) })
    if (!isAtOnce) await pause(delay, deadline)
    return true
  }

  /** Counts octets of the body that have come. */
  progress(octets: number): void {
    this.#received += octets
    this.#sinceFailure += octets
  }

  /** The final error: after several tries, its message says how many there were. */
  final(error: unknown): unknown {
    if (this.#tries === 0 || !RetrievalError.is(error)) return error
    const came = `${this.#received} octet${this.#received === 1 ? '' : 's'} of the body came`
    return new RetrievalError(error.code, `${error.message} (It was tried ${this.#tries + 1} times; ${came}.)`, error)
  }

  /** A server that refuses connections now, but has sent octets before, is only down for a while. */
  #mayPass({ transient, code, phase }: RetrievalError): boolean {
    if (transient) return true
    if (code === 'connect-failed') return this.#retryOn !== 'transient' || this.#received > 0
    return this.#retryOn === 'any-error' && !ownPhases.has(phase) && !decided.has(code)
  }

  #delay({ retryAfter }: RetrievalError, { retryDelay, maxRetryDelay }: Limits): number {
    if (retryAfter !== undefined) return Math.min(maxRetryDelay, Math.max(leastDelay, retryAfter))
    if (retryDelay > 0) return retryDelay
    // Jitter, down to half the wait, spreads the further tries of many clients that failed at the same time.
    return Math.min(maxRetryDelay, Math.round(firstDelay * 2 ** this.#spent * (0.5 + Math.random() / 2)))
  }
}
