import { RetrievalError } from '@retriever/core'
import { asksToWait, isTrouble } from '@retriever/fetchers/internal'

/** The longest time that a host is left alone because it asks for it, in milliseconds. */
const longestAsked = 24 * 60 * 60 * 1000

/** How a host in trouble is treated. */
export interface Patience {
  /** The pause after the first trouble, in milliseconds; it doubles with each turn in trouble. */
  readonly pause: number
  readonly maxPause: number
  /** How many turns in a row may end in trouble without an answer. */
  readonly hostTries: number
}

/** What a turn learns of its host: whether it answers, and when it may be asked again. */
export class Pace {
  /** When the host may be asked next, by Date.now(). 0: at once. */
  next = 0
  /** The turns in a row without an answer, this one too. */
  troubles: number
  /** How many answers came: a failure proves nothing about the host if one came since its request began. */
  answers = 0
  /** The trouble that ends the turn. */
  trouble: RetrievalError | null = null
  readonly #patience: Patience

  constructor(troubles: number, patience: Patience) {
    this.troubles = troubles
    this.#patience = patience
  }

  get isHopeless(): boolean {
    return this.trouble !== null && this.troubles >= this.#patience.hostTries
  }

  answered(): void {
    this.answers++
    if (this.trouble === null) this.troubles = 0
  }

  /** Notes the failure of a request that began after so many answers. */
  failed(error: unknown, answersBefore: number): void {
    if (!isTrouble(error) || (!asksToWait(error) && answersBefore !== this.answers)) {
      if (RetrievalError.is(error) && !isTrouble(error)) this.answered()
      return
    }
    const { pause, maxPause } = this.#patience
    if (this.trouble === null) this.troubles++
    this.trouble = error
    const growing = Math.min(maxPause, pause * 2 ** (this.troubles - 1))
    const asked = Math.min(error.retryAfter ?? 0, longestAsked)
    this.next = Math.max(this.next, Date.now() + Math.max(growing, asked))
  }
}
