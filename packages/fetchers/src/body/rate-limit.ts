import type { Deadline } from '../contract/deadline.ts'
import { pause } from '../kit/deadline.ts'

/** After a pause, this part of a second's octets may come at once, so that slow timers do not lower the rate. */
const burst = 100

/** One piece of a chunk has at most this part of a second's octets. */
const piece = 100

/**
 * A token bucket for limits.maxRate. read() gives the octets of a body in pieces, each when it is due. While it waits,
 * it reads nothing from the source, so the server has to wait, too.
 */
export class RateLimit {
  readonly #octetsPerSecond: number
  readonly #deadline: Deadline
  /** What is left of the last chunk. */
  #rest: Uint8Array | null = null
  /** When the next piece is due, in milliseconds of performance.now(). */
  #paid: number = performance.now()

  constructor(octetsPerSecond: number, deadline: Deadline) {
    this.#octetsPerSecond = octetsPerSecond
    this.#deadline = deadline
  }

  /** Returns the next piece, from `source` if nothing is left of its last chunk. Null at the end. */
  async read(source: () => Promise<Uint8Array | null>): Promise<Uint8Array | null> {
    const chunk = this.#rest ?? (await source())
    if (chunk === null) return null
    const most = Math.max(1, Math.floor((this.#octetsPerSecond * piece) / 1000))
    const taken = chunk.subarray(0, most)
    this.#rest = chunk.length > most ? chunk.subarray(most) : null
    const now = performance.now()
    this.#paid = Math.max(this.#paid, now - burst) + (1000 * taken.length) / this.#octetsPerSecond
    // A timer takes at least a millisecond, so a shorter wait is added to that of the next piece.
    if (this.#paid - now >= 1) await pause(this.#paid - now, this.#deadline)
    return taken
  }
}
