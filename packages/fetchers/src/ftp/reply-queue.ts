import type { RetrievalError } from '@retriever/core'
import type { Reply } from './replies.ts'

/** A reply that nobody has claimed yet, with its octets. */
export interface Early {
  readonly reply: Reply
  readonly octets: string
}

/** Who waits for the next reply. */
interface Waiter {
  readonly verb: string
  /** Its reply is of the next retrieval, which will tell of it. */
  readonly isAhead: boolean
  /** Returns whether that was the last reply to its command. */
  take(reply: Reply, octets: string): boolean
  fail(error: RetrievalError): void
}

/** The commands that are not answered yet. They may be sent before earlier ones are answered; replies come in their order. */
export class ReplyQueue {
  readonly #waiters: Waiter[] = []

  get isEmpty(): boolean {
    return this.#waiters.length === 0
  }

  /** Who is to get the next reply. */
  get first(): Pick<Waiter, 'verb' | 'isAhead'> | undefined {
    return this.#waiters[0]
  }

  /** The reply that `isLast` takes for the last one; it sees them all. What it throws passes through `take`. */
  expect(verb: string, isLast: (reply: Reply) => boolean): Promise<Reply> {
    return this.#enqueue(verb, false, (reply, _, resolve) => {
      const over = isLast(reply)
      if (over) resolve(reply)
      return over
    })
  }

  /** The one reply to a command for the next retrieval. */
  expectAhead(verb: string): Promise<Early> {
    return this.#enqueue(verb, true, (reply, octets, resolve) => {
      resolve({ reply, octets })
      return true
    })
  }

  /** Hands a reply to whoever waits for it; somebody must. */
  take(reply: Reply, octets: string): void {
    const waiter = this.#waiters[0]
    // Taking it may have ended the dialogue, and emptied the queue.
    if (waiter?.take(reply, octets) && this.#waiters[0] === waiter) this.#waiters.shift()
  }

  /** No reply comes any more. */
  fail(error: RetrievalError): void {
    for (const waiter of this.#waiters.splice(0)) waiter.fail(error)
  }

  #enqueue<T>(
    verb: string,
    isAhead: boolean,
    take: (reply: Reply, octets: string, resolve: (value: T) => void) => boolean,
  ): Promise<T> {
    const pending = new Promise<T>((resolve, fail) => {
      this.#waiters.push({ verb, isAhead, fail, take: (reply, octets) => take(reply, octets, resolve) })
    })
    // Met where it is awaited, which may be later, or never.
    pending.catch(() => {})
    return pending
  }
}
