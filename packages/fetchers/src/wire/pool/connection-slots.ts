import type { RetrievalContext } from '../../plugin/fetcher.ts'

/** The slots for connections to one server, and the retrievals that wait for one: first come, first served. */
export class Slots {
  /** Connections that are open or being opened. */
  taken = 0
  readonly #waiting = new Set<() => void>()

  /** Frees the slot of a connection that is closed, or that could not be opened. */
  leave(): void {
    this.taken--
    this.next()
  }

  /** Wakes the first retrieval that waits: there may be a slot. */
  next(): void {
    const [first] = this.#waiting
    if (first === undefined) return
    this.#waiting.delete(first)
    first()
  }

  /** Waits until there may be a slot. No limit of a phase runs meanwhile. */
  async acquire({ deadline }: RetrievalContext): Promise<void> {
    let wake: (() => void) | undefined
    deadline.phase = 'connect'
    try {
      await deadline.unlimited(
        () =>
          new Promise<void>((resolve) => {
            wake = resolve
            this.#waiting.add(resolve)
          }),
      )
    } catch (error) {
      // If a waiter is aborted after being woken, it wakes the next one, so the freed slot is not lost.
      if (wake !== undefined && !this.#waiting.delete(wake)) this.next()
      throw error
    }
  }
}
