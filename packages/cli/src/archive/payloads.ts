/** How many payloads are remembered; the oldest are forgotten first, so that memory stays bounded. */
const maxKnown = 100_000

/** Where an archive has a payload. */
export interface Original {
  readonly id: string
  readonly uri: string
  readonly date: string
}

/** The payloads that an archive has already, by their digests. */
export class Payloads {
  /** One text for each, since that takes half the memory of an object. */
  readonly #known = new Map<string, string>()

  find(digest: string): Original | null {
    const [id, date, uri] = this.#known.get(digest)?.split(' ') ?? []
    return id === undefined || date === undefined || uri === undefined ? null : { id, date, uri }
  }

  keep(digest: string, { id, date, uri }: Original): void {
    this.#known.set(digest, `${id} ${date} ${uri}`)
    if (this.#known.size <= maxKnown) return
    for (const oldest of this.#known.keys()) {
      this.#known.delete(oldest)
      return
    }
  }
}
