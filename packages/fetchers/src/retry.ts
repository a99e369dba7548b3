import { RetrievalError } from '@retriever/core'
import { clampTimer } from './deadline.ts'
import type { RetrievalContext } from './fetcher.ts'

/** Of the first wait; each is twice the one before. curl and apt begin so too. */
const firstDelay = 1000
/** A server that may be asked again at once (`Retry-After: 0`) has still failed a moment ago. */
const leastDelay = 100

/**
 * How often something is tried again, and when: limits.maxRetries and limits.maxRetryDelay, or what the server asks
 * for.
 */
export class Retries {
  #count = 0

  /**
   * Waits until it is time to try again what has failed so. False at once: the error stands. Rejects where the
   * retrieval ends meanwhile.
   */
  async again(error: unknown, { limits, deadline, emit, url }: RetrievalContext): Promise<boolean> {
    if (!RetrievalError.is(error) || !error.transient || this.#count >= limits.maxRetries) return false
    // security.md R12: what asks for an hour is better told to whoever waits.
    if (error.retryAfter !== undefined && error.retryAfter > limits.maxRetryDelay) return false
    const delay = Math.min(limits.maxRetryDelay, this.#delay(error))
    this.#count++
    emit({ type: 'retried', url, error, delay })
    await pause(delay, deadline)
    return true
  }

  /** There was progress: what fails next is another matter. */
  reset(): void {
    this.#count = 0
  }

  #delay({ retryAfter }: RetrievalError): number {
    if (retryAfter !== undefined) return Math.max(leastDelay, retryAfter)
    // Jitter, down to half: what failed for many at once shall not be asked by all of them at once again.
    return Math.round(firstDelay * 2 ** this.#count * (0.5 + Math.random() / 2))
  }
}

/** The same context for what is done under another deadline. */
export function under(context: RetrievalContext, deadline: RetrievalContext['deadline']): RetrievalContext {
  return {
    ...context,
    deadline,
    error: (code, message, extras) => context.error(code, message, { phase: deadline.phase, ...extras }),
  }
}

/** Rejects once the retrieval must end. */
async function pause(milliseconds: number, deadline: RetrievalContext['deadline']): Promise<void> {
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
