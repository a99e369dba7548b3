/** Numbers that look random and follow from a seed, so that a failure can be made again (mulberry32). */
export class Random {
  #state: number

  constructor(seed: number) {
    this.#state = seed | 0
  }

  /** At least 0, less than `end`. */
  below(end: number): number {
    this.#state = (this.#state + 0x6d2b79f5) | 0
    let mixed = Math.imul(this.#state ^ (this.#state >>> 15), this.#state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % end
  }

  /** True `times` in 100. */
  chance(times: number): boolean {
    return this.below(100) < times
  }

  pick<T>(items: readonly T[]): T {
    const item = items[this.below(items.length)]
    if (item === undefined) throw new Error('There is nothing to pick from.')
    return item
  }

  /** Up to `most` texts, one behind the other. */
  several(most: number, make: () => string, separator = ''): string {
    return Array.from({ length: this.below(most + 1) }, make).join(separator)
  }
}
