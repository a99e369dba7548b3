import { type ErrorCode, type Phase, RetrievalError } from '@retriever/core'
import type { Limits } from '../contract/limits.ts'
import type { Retries, RetryContext, RetryOn } from '../contract/retries.ts'
import { pause } from './deadline.ts'

/** The first wait. Each further wait is twice as long. curl and apt also begin with one second. */
const firstDelay = 1000
/** The shortest wait, even for `Retry-After: 0`, because the server has just failed. */
const leastDelay = 100
/**
 * If this many octets arrive between two failures, the budget is renewed. A server that cuts a body more often is given
 * up.
 */
const substantial = 1024 * 1024

/** The phases whose errors no server causes. */
const ownPhases: ReadonlySet<Phase> = new Set(['resolve', 'policy', 'save'])
/** Codes that are no failure of a try: answers that the caller asked for, and limits that the caller set. */
const decided: ReadonlySet<ErrorCode> = new Set(['not-modified', 'handoff', 'limit-exceeded', 'refused', 'aborted'])

export class RetryBudget implements Retries {
  /** How many further tries there were, in all and since the budget was renewed. */
  #tries = 0
  #spent = 0
  /** How many octets of the body arrived, in all and since the last failure. */
  #received = 0
  #sinceFailure = 0

  readonly #retryOn: RetryOn
  readonly #began: number = performance.now()

  /** `before` is a budget whose rest is used, or the errors for a new budget. */
  constructor(before: Retries | RetryOn = 'transient') {
    this.#retryOn = typeof before === 'string' ? before : 'transient'
    if (!(before instanceof RetryBudget)) return
    this.#retryOn = before.#retryOn
    this.#tries = before.#tries
    this.#spent = before.#spent
    this.#began = before.#began
  }

  async again(error: unknown, context: RetryContext, offset = 0): Promise<boolean> {
    return RetrievalError.is(error) && this.#mayPass(error) && this.wait(error, context, { offset })
  }

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
    // If a server asks to wait for an hour, the caller is told, and nobody waits (threats.md R12).
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

  progress(octets: number): void {
    this.#received += octets
    this.#sinceFailure += octets
  }

  final(error: unknown): unknown {
    if (this.#tries === 0 || !RetrievalError.is(error)) return error
    const came = `${this.#received} octet${this.#received === 1 ? '' : 's'} of the body came`
    return new RetrievalError(error.code, `${error.message} (It was tried ${this.#tries + 1} times; ${came}.)`, error)
  }

  /**
   * Whether the cause may pass. If a server that has sent octets before refuses connections now, it is only down for a
   * while.
   */
  #mayPass({ transient, code, phase }: RetrievalError): boolean {
    if (transient) return true
    if (code === 'connect-failed') return this.#retryOn !== 'transient' || this.#received > 0
    return this.#retryOn === 'any-error' && !ownPhases.has(phase) && !decided.has(code)
  }

  #delay({ retryAfter }: RetrievalError, limits: Limits): number {
    if (retryAfter !== undefined) return Math.min(limits.maxRetryDelay, Math.max(leastDelay, retryAfter))
    return growingDelay(this.#spent, limits)
  }
}

/** How long to wait after so many tries in vain. */
export function growingDelay(tries: number, { retryDelay, maxRetryDelay }: Limits): number {
  if (retryDelay > 0) return retryDelay
  // Random waits, down to half the time, spread the tries of many clients that failed at the same time.
  return Math.min(maxRetryDelay, Math.round(firstDelay * 2 ** tries * (0.5 + Math.random() / 2)))
}
