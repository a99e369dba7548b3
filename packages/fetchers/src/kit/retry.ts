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

/** The place of a retrieval at its server. A body that broke off gives it back, and takes one for its next try. */
export interface RetryTurn {
  /** Notes a failed try, and gives the place back. */
  failed(error: unknown, limits: Limits): void
  /** Whether the cause may pass, since the server has answered before. */
  mayPass(error: RetrievalError): boolean
  /**
   * Whether the failure costs no try: the server asked to wait, and has answered others since the one before, or it has
   * been full for less than a minute.
   */
  spares(error: RetrievalError): boolean
  /** How long the URL waits for its server, however often that fails, in milliseconds; null: it does not. */
  waitsOn(error: RetrievalError): number | null
  /** Waits for a place at the same server. */
  comeBack(): Promise<void>
  /** Notes that the body, or much of it, has come. */
  delivered(): void
}

export class RetryBudget implements Retries {
  /** How many further tries there were, in all and since the budget was renewed. */
  #tries = 0
  #spent = 0
  /** How many octets of the body arrived, in all and since the last failure. */
  #received = 0
  #sinceFailure = 0

  readonly #retryOn: RetryOn
  readonly #began: number = performance.now()
  readonly #turn: RetryTurn | null
  /** False: the tries before a body take their places themselves. */
  readonly #isOfBody: boolean = false

  /** `before` is the budget whose rest is used for a body, or the errors for a new budget. */
  constructor(before: Retries | RetryOn = 'transient', turn: RetryTurn | null = null) {
    this.#retryOn = typeof before === 'string' ? before : 'transient'
    this.#turn = turn
    if (!(before instanceof RetryBudget)) return
    this.#retryOn = before.#retryOn
    this.#turn = before.#turn
    this.#isOfBody = true
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
    const isAtOnce = isFirstAtOnce && this.#tries === 0
    const turn = isAtOnce || !this.#isOfBody ? null : this.#turn
    turn?.failed(error, limits)
    const wait = isAtOnce ? null : (this.#turn?.waitsOn(error) ?? null)
    const isSpared = wait !== null || (limits.maxRetries > 0 && this.#turn?.spares(error) === true)
    const allowed = wait ?? this.#delay(error, limits, isSpared)
    if (allowed === null) return false
    const delay = isAtOnce ? 0 : allowed
    if (!isSpared) this.#spent++
    this.#tries++
    emit({ type: 'retried', url, error, delay, ...(offset > 0 && { offset }) })
    if (wait === null && delay > 0) await pause(delay, deadline)
    await turn?.comeBack()
    return true
  }

  progress(octets: number): void {
    this.#received += octets
    const before = this.#sinceFailure
    this.#sinceFailure += octets
    if (before < substantial && this.#sinceFailure >= substantial) this.#turn?.delivered()
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
  #mayPass(error: RetrievalError): boolean {
    const { transient, code, phase } = error
    if (transient || this.#turn?.mayPass(error) === true) return true
    if (code === 'connect-failed') return this.#retryOn !== 'transient' || this.#received > 0
    return this.#retryOn === 'any-error' && !ownPhases.has(phase) && !decided.has(code)
  }

  /** How long to wait before the next try; null: there is none. */
  #delay({ retryAfter }: RetrievalError, limits: Limits, isSpared: boolean): number | null {
    const { maxRetries, maxRetryTime, maxRetryDelay } = limits
    const elapsed = performance.now() - this.#began
    if ((this.#spent >= maxRetries && !isSpared) || elapsed >= maxRetryTime) return null
    if (retryAfter === undefined) return growingDelay(this.#spent, limits)
    const delay = Math.min(maxRetryDelay, Math.max(leastDelay, retryAfter))
    // If a server asks to wait for an hour, the caller is told, and nobody waits (threats.md R12).
    return retryAfter > maxRetryDelay || elapsed + delay > maxRetryTime ? null : delay
  }
}

/** How long to wait after so many tries in vain. */
export function growingDelay(tries: number, { retryDelay, maxRetryDelay }: Limits): number {
  if (retryDelay > 0) return retryDelay
  // Random waits, down to half the time, spread the tries of many clients that failed at the same time.
  return Math.min(maxRetryDelay, Math.round(firstDelay * 2 ** tries * (0.5 + Math.random() / 2)))
}
