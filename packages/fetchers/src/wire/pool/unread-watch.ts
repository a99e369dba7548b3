import type { RetrievalError } from '@retriever/core'
import type { RetrievalContext } from '../../contract/fetcher.ts'
import { clampTimer } from '../../kit/deadline.ts'

/** A session whose body the consumer may leave unread. */
export interface UnreadBody {
  /** When the consumer last took octets, by performance.now(). Null if there is no body or a read is under way. */
  readonly unreadSince: number | null
  /** Gives up the body and closes the session. */
  evict(): void
  /** True if other retrievals use the session; evict() then leaves it open. */
  readonly isShared?: boolean
  /** Called when the first retrieval begins to wait. */
  onWaitedFor?(): void
}

/** Gives up a body that stays unread while other retrievals wait: they could otherwise wait for ever. */
export class UnreadWatch {
  readonly #body: UnreadBody
  #waiting = 0
  /** How many milliseconds the least patient waiting retrieval lets a body stay unread. */
  #limit = Number.POSITIVE_INFINITY
  #timer: NodeJS.Timeout | undefined
  /** Called when the session has been closed. */
  onEvicted: () => void = () => {}

  constructor(body: UnreadBody) {
    this.#body = body
  }

  get isWaitedFor(): boolean {
    return this.#waiting > 0
  }

  /**
   * Counts a retrieval that waits and lets the body stay unread for `limit` milliseconds. The returned function ends
   * its wait.
   */
  addWaiting(limit: number): () => void {
    const isFirst = this.#waiting++ === 0
    if (isFirst) this.#body.onWaitedFor?.()
    if (isFirst || limit < this.#limit) {
      this.#limit = limit
      this.#arm()
    }
    let isWaiting = true
    return () => {
      if (!isWaiting) return
      isWaiting = false
      if (--this.#waiting > 0) return
      clearTimeout(this.#timer)
      this.#limit = Number.POSITIVE_INFINITY
    }
  }

  /** Sets the timer to when the body will have stayed unread for too long. */
  #arm(): void {
    clearTimeout(this.#timer)
    if (this.#limit === Number.POSITIVE_INFINITY) return
    const since = this.#body.unreadSince ?? performance.now()
    // Waits at least 1 ms: an eviction frees a slot, and a waiter that is just about to queue must not miss it.
    this.#timer = setTimeout(() => this.#look(), clampTimer(Math.max(1, since + this.#limit - performance.now())))
  }

  #look(): void {
    const { unreadSince, isShared } = this.#body
    if (unreadSince === null || performance.now() - unreadSince < this.#limit) this.#arm()
    else {
      this.#body.evict()
      if (isShared !== true) this.onEvicted()
      // Another body of this session may be unread, and another retrieval may still wait.
      else if (this.isWaitedFor) this.#arm()
    }
  }
}

/** Makes the error for a body that was given up because nobody read it. Another try may bring it. */
export function unreadError({ error }: RetrievalContext): RetrievalError {
  const what = 'The body was left unread while other retrievals waited for its connection, and was given up'
  return error('partial', `${what}. Read or cancel each body soon.`, { phase: 'body', transient: true })
}
