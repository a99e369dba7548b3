import { RetrievalError } from '@retriever/core'
import { clampTimer, type Deadline } from './deadline.ts'
import type { RetrievalEvent } from './events.ts'
import type { Limits } from './limits.ts'

/** Of the first wait; each is twice the one before. curl and apt begin so too. */
const firstDelay = 1000
/** A server that may be asked again at once (`Retry-After: 0`) has still failed a moment ago. */
const leastDelay = 100
/** Octets between two failures that renew the budget. A server that cuts a body more often than that is given up. */
const substantial = 1024 * 1024

/** The part of a RetrievalContext that waiting and trying again needs. */
interface RetryContext {
  readonly url: string
  readonly deadline: Deadline
  readonly limits: Limits
  emit(event: RetrievalEvent): void
}

/**
 * How often something is tried again, and when: limits.maxRetries and limits.maxRetryDelay, or what the server asks
 * for. The budget is that of one retrieval, and is renewed by substantial progress alone.
 */
export class Retries {
  /** Further tries: all of them, and those since the budget was renewed. */
  #tries = 0
  #spent = 0
  /** Octets of the body: all of them, and those since the last failure. */
  #received = 0
  #sinceFailure = 0

  /** With what is left of the budget of `before`. */
  constructor(before?: Retries) {
    if (before === undefined) return
    this.#tries = before.#tries
    this.#spent = before.#spent
  }

  /**
   * Waits until it is time to try again what has failed so. False at once: the error stands. Rejects where the
   * retrieval ends meanwhile.
   */
  async again(error: unknown, context: RetryContext): Promise<boolean> {
    return RetrievalError.is(error) && this.#mayPass(error) && this.wait(error, context)
  }

  /**
   * The same for an error of which the caller knows that its cause may pass. `isFirstAtOnce`: the first further try of
   * the retrieval waits for nothing.
   */
  async wait(error: RetrievalError, context: RetryContext, isFirstAtOnce = false): Promise<boolean> {
    const { limits, deadline, emit, url } = context
    if (this.#sinceFailure >= substantial) this.#spent = 0
    this.#sinceFailure = 0
    if (this.#spent >= limits.maxRetries) return false
    // security.md R12: what asks for an hour is better told to whoever waits.
    if (error.retryAfter !== undefined && error.retryAfter > limits.maxRetryDelay) return false
    const isAtOnce = isFirstAtOnce && this.#tries === 0
    const delay = isAtOnce ? 0 : Math.min(limits.maxRetryDelay, this.#delay(error))
    this.#spent++
    this.#tries++
    emit({ type: 'retried', url, error, delay })
    if (!isAtOnce) await pause(delay, deadline)
    return true
  }

  /** So many octets of the body have come. */
  progress(octets: number): void {
    this.#received += octets
    this.#sinceFailure += octets
  }

  /** The error that stands in the end: it says how many tries there were, where there was more than one. */
  final(error: unknown): unknown {
    if (this.#tries === 0 || !RetrievalError.is(error)) return error
    const came = `${this.#received} octet${this.#received === 1 ? '' : 's'} of the body came`
    return new RetrievalError(error.code, `${error.message} (It was tried ${this.#tries + 1} times; ${came}.)`, error)
  }

  /** A server that refuses connections now, and has sent octets before, is down for a while. */
  #mayPass({ transient, code }: RetrievalError): boolean {
    return transient || (code === 'connect-failed' && this.#received > 0)
  }

  #delay({ retryAfter }: RetrievalError): number {
    if (retryAfter !== undefined) return Math.max(leastDelay, retryAfter)
    // Jitter, down to half: what failed for many at once shall not be asked by all of them at once again.
    return Math.round(firstDelay * 2 ** this.#spent * (0.5 + Math.random() / 2))
  }
}

/** Rejects once the retrieval must end. */
async function pause(milliseconds: number, deadline: Deadline): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  try {
    await deadline.unlimited(
      () =>
        new Promise((resolve) => {
          timer = setTimeout(resolve, clampTimer(milliseconds))
        }),
    )
  } finally {
    clearTimeout(timer)
  }
}
