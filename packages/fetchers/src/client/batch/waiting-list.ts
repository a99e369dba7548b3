/** An element of a WaitingList. */
interface Ranked {
  /** A higher one is taken first. */
  readonly priority: number
}

/** Elements by priority; those of the same priority are first come, first served. */
export class WaitingList<T extends Ranked> {
  #elements: (T | undefined)[] = []
  /** The index of the first element: those before it were taken. */
  #first = 0

  get size(): number {
    return this.#elements.length - this.#first
  }

  get head(): T | undefined {
    return this.#elements[this.#first]
  }

  add(element: T): void {
    const elements = this.#elements
    let at = elements.length
    while (at > this.#first && (elements[at - 1]?.priority ?? 0) < element.priority) at--
    if (at === elements.length) elements.push(element)
    else elements.splice(at, 0, element)
  }

  take(): T | undefined {
    const element = this.#elements[this.#first]
    if (element === undefined) return undefined
    // Removing each element at once would move all others.
    this.#elements[this.#first++] = undefined
    if (this.#first * 2 > this.#elements.length) {
      this.#elements = this.#elements.slice(this.#first)
      this.#first = 0
    }
    return element
  }

  /** Takes all elements. */
  clear(): readonly T[] {
    const rest = this.#elements.filter((element) => element !== undefined)
    this.#elements = []
    this.#first = 0
    return rest
  }
}
