/** Decides when packets are sent again. `accept` may change `due`. */
export interface Retransmission {
  /** When the wait is over, by performance.now(). */
  readonly due: number
  /** Called at `due`: sends packets again and sets a later `due`. */
  expired(): void
}

/** Sends again after a second, then each time after twice as long (RFC 1123 4.2.3.2). */
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

/**
 * The shortest wait, in milliseconds. RFC 6298 2.4 wants a second and Linux has 200 ms; here, an answer has few
 * packets.
 */
const leastWait = 100

/**
 * Measures how long a server takes to answer, and so when a packet counts as lost (RFC 6298). Times are in
 * milliseconds.
 */
export class RoundTrip {
  /** Null until something has been measured. */
  #smoothed: number | null = null
  #variation = 0
  /** How many waits in a row were in vain. */
  #doublings = 0

  /**
   * Takes the time of an answer. The packets must have been sent only once: nobody knows which of several it answers
   * (Karn).
   */
  sample(time: number): void {
    const before = this.#smoothed
    this.#variation = before === null ? time / 2 : 0.75 * this.#variation + 0.25 * Math.abs(before - time)
    this.#smoothed = before === null ? time : 0.875 * before + 0.125 * time
  }

  /** Packets arrive again, or another request begins: the waits become as long as was measured. */
  restart(): void {
    this.#doublings = 0
  }

  /** Nothing arrived in time: the next wait becomes twice as long. */
  backOff(): void {
    this.#doublings++
  }

  /** How long to wait before packets are sent again. */
  get timeout(): number {
    const wait = this.#smoothed === null ? 1000 : Math.max(leastWait, this.#smoothed + 4 * this.#variation)
    return Math.min(wait * 2 ** this.#doublings, 60_000)
  }

  /** How long to wait for packets that others have overtaken (RFC 8985 6.2, step 4). */
  get reordering(): number {
    return Math.max((this.#smoothed ?? 0) / 4, 5)
  }
}
