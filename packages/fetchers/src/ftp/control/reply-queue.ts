import type { RetrievalError } from '@retriever/core'
import type { Reply } from './replies.ts'

/** Who waits for the next reply. */
interface Waiter {
  readonly verb: string
  /** Returns whether that was the last reply to its command. */
  take(reply: Reply): boolean
  fail(error: RetrievalError): void
}

/** The commands that are not answered yet. They may be sent before earlier ones are answered; replies come in their order. */
export class ReplyQueue {
  readonly #waiters: Waiter[] = []

  get isEmpty(): boolean {
    return this.#waiters.length === 0
  }

  /** The command whose reply comes next. */
  get verb(): string | undefined {
    return this.#waiters[0]?.verb
  }

  /** The reply that `isLast` takes for the last one; it sees them all. What it throws passes through `take`. */
  expect(verb: string, isLast: (reply: Reply) => boolean): Promise<Reply> {
    const pending = new Promise<Reply>((resolve, fail) => {
      const take = (reply: Reply): boolean => {
        const over = isLast(reply)
        if (over) resolve(reply)
        return over
      }
      this.#waiters.push({ verb, fail, take })
    })
    // Met where it is awaited, which may be later, or never.
    pending.catch(() => {})
    return pending
  }

  /** Hands a reply to whoever waits for it; somebody must. */
  take(reply: Reply): void {
    const waiter = this.#waiters[0]
    // Taking it may have ended the dialogue, and emptied the queue.
    if (waiter?.take(reply) && this.#waiters[0] === waiter) this.#waiters.shift()
  }

  /** The server has not heard these commands: what comes next is the reply to the next one. */
  forget(): void {
    this.#waiters.length = 0
  }

  /** No reply comes any more. */
  fail(error: RetrievalError): void {
    for (const waiter of this.#waiters.splice(0)) waiter.fail(error)
  }
}
