import type { Deadline } from '../contract/deadline.ts'
import { pause } from '../kit/deadline.ts'

/** The part of a second for which octets may come at once after a pause, so that slow timers do not lower the rate. */
const burst = 100

/** The part of a second that one piece of a chunk may take. */
const piece = 100

/**
 * A token bucket for limits.maxRate: read() gives the octets of a body in pieces, each once its time has come. While it
 * waits, nothing is read from the source, so the server has to wait, too.
 */
export class RateLimit {
  readonly #octetsPerSecond: number
  readonly #deadline: Deadline
  /** The rest of the last chunk. */
  #rest: Uint8Array | null = null
  /** When all octets so far are paid for, in milliseconds of performance.now(). */
  #paid: number = performance.now()

  constructor(octetsPerSecond: number, deadline: Deadline) {
    this.#octetsPerSecond = octetsPerSecond
    this.#deadline = deadline
  }

  /** The next piece, from `source` if nothing is left of its last chunk; null at its end. */
  async read(source: () => Promise<Uint8Array | null>): Promise<Uint8Array | null> {
    const chunk = this.#rest ?? (await source())
    if (chunk === null) return null
    const most = Math.max(1, Math.floor((this.#octetsPerSecond * piece) / 1000))
    const taken = chunk.subarray(0, most)
    this.#rest = chunk.length > most ? chunk.subarray(most) : null
    const now = performance.now()
    this.#paid = Math.max(this.#paid, now - burst) + (1000 * taken.length) / this.#octetsPerSecond
    // A timer takes a millisecond or more; less than that is waited for with the next piece.
    if (this.#paid - now >= 1) await pause(this.#paid - now, this.#deadline)
    return taken
  }
}
