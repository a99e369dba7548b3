/**
 * The turns of those who share something, such as standard output. A turn comes when all turns before it have ended.
 */
export class Turns {
  #last: Promise<void> = Promise.resolve()

  /** Takes the next turn. */
  take(): Turn {
    const before = this.#last
    let end = (): void => {}
    const ended = new Promise<void>((resolve) => (end = resolve))
    this.#last = before.then(() => ended)
    return { comes: before, end }
  }
}

export interface Turn {
  /** Resolves when the turn comes. */
  readonly comes: Promise<void>
  /** Ends the turn, so that the next one comes. */
  end(): void
}
