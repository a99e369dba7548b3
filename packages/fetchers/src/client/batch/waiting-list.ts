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

  /** Undefined: the list is empty. */
  get head(): T | undefined {
    return this.#elements[this.#first]
  }

  add(element: T): void {
    const elements = this.#elements
    let at = elements.length
    while (at > this.#first && (elements[at - 1]?.priority ?? 0) < element.priority) at--
    elements.splice(at, 0, element)
  }

  /** Adds an element before those of the same priority. */
  addFirst(element: T): void {
    let at = this.#first
    while ((this.#elements[at]?.priority ?? Number.NEGATIVE_INFINITY) > element.priority) at++
    this.#elements.splice(at, 0, element)
  }

  /** False: it was not in the list. */
  delete(element: T): boolean {
    const at = this.#elements.indexOf(element, this.#first)
    if (at !== -1) this.#elements.splice(at, 1)
    return at !== -1
  }

  take(): T | undefined {
    const element = this.#elements[this.#first]
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
