import type { RetrievalContext } from '../fetcher.ts'

/** The connections to one server, those that are being opened too, and who waits for a place in one: first come, first served. */
export class Places {
  taken = 0
  readonly #waiting: (() => void)[] = []

  /** Gives back the place of a connection that is closed, or was never opened. */
  leave(): void {
    this.taken--
    this.next()
  }

  /** There may be a place: the turn of the first who waits has come. */
  next(): void {
    this.#waiting.shift()?.()
  }

  /** Whoever gives up, before or after the turn has come, must not use up that of the one behind. */
  async turn({ deadline }: RetrievalContext): Promise<void> {
    let isMine = false
    const come = (resolve: () => void): void => {
      isMine = deadline.reason === null
      if (isMine) resolve()
      else this.next()
    }
    try {
      await deadline.unlimited(() => new Promise<void>((resolve) => void this.#waiting.push(() => come(resolve))))
    } catch (error) {
      if (isMine) this.next()
      throw error
    }
  }
}
