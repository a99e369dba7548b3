/** Decides when packets are sent again. `accept` may change `due`. */
export interface Retransmission {
  /** The time at which it expires, by performance.now(). */
  readonly due: number
  /** Called at that time; it sends packets again, and changes `due`. */
  expired(): void
}

/** Sends again after a second, and each further time after twice as long (RFC 1123 4.2.3.2). */
export class Backoff implements Retransmission {
  due: number
  #wait = 1000
  readonly #again: () => void

  constructor(again: () => void) {
    this.#again = again
    this.due = performance.now() + this.#wait
  }

  expired(): void {
    this.#wait *= 2
    this.due = performance.now() + this.#wait
    this.#again()
  }
}

/** The least wait. RFC 6298 2.4 wants a second, and Linux has 200 ms: here, an answer has few packets. */
const leastWait = 100

/** How long the packets of a server take, and so when one counts as lost (RFC 6298). Times are in milliseconds. */
export class RoundTrip {
  /** Null: nothing has been measured. */
  #smoothed: number | null = null
  #variation = 0
  /** How many waits in a row brought nothing. */
  #doublings = 0

  /** Takes the time of an answer to packets that were sent once: nobody knows which of several it answers (Karn). */
  sample(time: number): void {
    const before = this.#smoothed
    this.#variation = before === null ? time / 2 : 0.75 * this.#variation + 0.25 * Math.abs(before - time)
    this.#smoothed = before === null ? time : 0.875 * before + 0.125 * time
  }

  /** Packets come again, or another request begins: the waits are as long as was measured. */
  restart(): void {
    this.#doublings = 0
  }

  /** Nothing came in time: the next wait is twice as long. */
  backOff(): void {
    this.#doublings++
  }

  /** The wait after which packets are sent again. */
  get timeout(): number {
    const wait = this.#smoothed === null ? 1000 : Math.max(leastWait, this.#smoothed + 4 * this.#variation)
    return Math.min(wait * 2 ** this.#doublings, 60_000)
  }

  /** The wait for packets that others have overtaken (RFC 8985 6.2, step 4). */
  get reordering(): number {
    return Math.max((this.#smoothed ?? 0) / 4, 5)
  }
}
