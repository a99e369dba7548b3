import type { RetrievalContext } from '../../plugin/fetcher.ts'

/** The connections to one server, those that are being opened too, and who waits for a place in one: first come, first served. */
export class Slots {
  taken = 0
  readonly #waiting = new Set<() => void>()

  /** Gives back the place of a connection that is closed, or was never opened. */
  leave(): void {
    this.taken--
    this.next()
  }

  /** There may be a place: the turn of the first who waits has come. */
  next(): void {
    const [first] = this.#waiting
    if (first === undefined) return
    this.#waiting.delete(first)
    first()
  }

  /** Whoever gives up, before or after the turn has come, must not use up that of the one behind. */
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
      // Who never stood in the line has no turn to pass on: it would cost the first in it that place.
      if (wake !== undefined && !this.#waiting.delete(wake)) this.next()
      throw error
    }
  }
}
