/** The exit code of a command with many URLs: that of the first URL in the list that failed. */
export class Exits {
  #first = Number.POSITIVE_INFINITY
  #code = 0

  get code(): number {
    return this.#code
  }

  add(index: number, code: number): void {
    if (code === 0 || index > this.#first) return
    this.#first = index
    this.#code = code
  }
}
