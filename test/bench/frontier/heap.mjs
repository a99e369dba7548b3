/** Numbers that come out by their time, the earliest first. */
export class Heap {
  #times = new Float64Array(1024)
  #values = new Uint32Array(1024)
  size = 0

  get earliest() {
    return this.size === 0 ? Number.POSITIVE_INFINITY : this.#times[0]
  }

  add(time, value) {
    if (this.size === this.#times.length) this.#grow()
    let at = this.size++
    for (let above = (at - 1) >> 1; at > 0 && this.#times[above] > time; at = above, above = (at - 1) >> 1) {
      this.#put(at, this.#times[above], this.#values[above])
    }
    this.#put(at, time, value)
  }

  take() {
    const first = this.#values[0]
    const time = this.#times[--this.size]
    const value = this.#values[this.size]
    let at = 0
    for (let below = 1; below < this.size; below = 2 * at + 1) {
      if (below + 1 < this.size && this.#times[below + 1] < this.#times[below]) below++
      if (this.#times[below] >= time) break
      this.#put(at, this.#times[below], this.#values[below])
      at = below
    }
    this.#put(at, time, value)
    return first
  }

  #put(at, time, value) {
    this.#times[at] = time
    this.#values[at] = value
  }

  #grow() {
    const times = new Float64Array(2 * this.size)
    const values = new Uint32Array(2 * this.size)
    times.set(this.#times)
    values.set(this.#values)
    this.#times = times
    this.#values = values
  }
}
