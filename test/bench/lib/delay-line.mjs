// One direction of a long line: what is put in comes out in the same order, each at its time.

/** The one clock of all processes of a machine (CLOCK_MONOTONIC), in milliseconds. */
export const now = () => Number(process.hrtime.bigint()) / 1e6

export class DelayLine {
  #queue = []

  /** Does `action` at `due`, or once all that was put in before is out; never at once. */
  put(due, action) {
    this.#queue.push({ due, action })
    if (this.#queue.length === 1) setImmediate(this.#wait)
  }

  /**
   * A timer is exact to a millisecond or two; ten of them in a row would be a fifth of a round trip. so the last two
   * are spun.
   */
  #wait = () => {
    const left = this.#queue[0].due - now()
    if (left > 2) setTimeout(this.#wait, left - 2)
    else if (left > 0) setImmediate(this.#wait)
    else this.#release()
  }

  #release() {
    while (this.#queue.length > 0 && this.#queue[0].due <= now()) {
      this.#queue[0].action()
      this.#queue.shift()
    }
    if (this.#queue.length > 0) this.#wait()
  }
}
