import type { Entry } from '../contract/fetcher.ts'

/** How many entries are passed on at a time: each time costs several turns of promises. */
const most = 100

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

  /** Yields the entries in order, some at a time, then throws the error that ended the listing. */
  async *entries(): AsyncGenerator<readonly Entry[], void, void> {
    while (true) {
      const held = this.#held.splice(0)
      for (let at = 0; at < held.length; at += most) yield held.slice(at, at + most)
      if (this.#held.length > 0) continue
      if (this.#failure !== null && this.#ended) throw this.#failure.cause
      if (this.#ended) return
      await new Promise<void>((resolve) => (this.#wake = resolve))
    }
  }
}
