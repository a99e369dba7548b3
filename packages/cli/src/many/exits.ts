/** Exit codes by what failed, from the mildest: the resource, its server, the network, this machine. */
const grades: readonly (readonly number[])[] = [
  [78, 22, 67, 9, 47, 33, 36, 63],
  [18, 56, 8, 28],
  [60, 35, 7, 6],
  [1, 3, 37, 23, 2],
]

/** The exit code of a command with many URLs: that of the first URL in the list that failed, or the worst one. */
export class Exits {
  readonly #isWorst: boolean
  #index = Number.POSITIVE_INFINITY
  #code = 0

  constructor(isWorst: boolean) {
    this.#isWorst = isWorst
  }

  get code(): number {
    return this.#code
  }

  add(index: number, code: number): void {
    if (code === 0) return
    const more = this.#isWorst ? rank(code) - rank(this.#code) : 0
    if (more < 0 || (more === 0 && index > this.#index)) return
    this.#index = index
    this.#code = code
  }
}

function rank(code: number): number {
  if (code === 0) return -1
  const ranked = grades.flat().indexOf(code)
  return ranked === -1 ? grades.flat().length : ranked
}
