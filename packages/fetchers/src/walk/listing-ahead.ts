import type { Entry } from '../contract/fetcher.ts'

/**
 * Reads the entries of one listing without waiting for the consumer. So a slow consumer keeps no connection busy, and
 * the listings of several folders arrive at the same time.
 */
export class ListingAhead {
  readonly #held: Entry[] = []
  #ended = false
  #failure: { readonly cause: unknown } | null = null
  #wake: () => void = () => {}

  /** `read` calls its argument with each entry. It rejects if the listing is not complete. */
  constructor(read: (add: (entry: Entry) => void) => Promise<void>) {
    void this.#run(read)
  }

  async #run(read: (add: (entry: Entry) => void) => Promise<void>): Promise<void> {
    try {
      await read((entry) => {
        this.#held.push(entry)
        this.#wake()
      })
    } catch (cause) {
      this.#failure = { cause }
    }
    this.#ended = true
    this.#wake()
  }

  /** Yields the entries in order, then throws the error that ended the listing. */
  async *entries(): AsyncGenerator<Entry, void, void> {
    while (true) {
      const batch = this.#held.splice(0)
      yield* batch
      if (this.#held.length > 0) continue
      if (this.#failure !== null && this.#ended) throw this.#failure.cause
      if (this.#ended) return
      await new Promise<void>((resolve) => (this.#wake = resolve))
    }
  }
}
