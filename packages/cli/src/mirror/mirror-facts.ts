import { redact } from '@retriever/core'
import type { RetrievalEvent } from '@retriever/fetchers'
import { Facts, type KnownServers } from '../write-out/facts.ts'

/** Far more than run at a time. What is older was a listing, for which no result comes. */
const maxWaiting = 1000

/** The facts of the files of a mirror, gathered from the events of simultaneous retrievals. */
export class MirrorFacts {
  readonly #servers: KnownServers = new Map()
  /** The facts by the number of the retrieval. */
  readonly #byId = new Map<number, { readonly url: string; readonly facts: Facts }>()

  event(event: RetrievalEvent): void {
    const known = this.#byId.get(event.id)
    known?.facts.event(event)
    if (known !== undefined || event.type !== 'resolved') return
    const facts = new Facts(this.#servers)
    facts.event(event)
    this.#byId.set(event.id, { url: event.url, facts })
    const [oldest] = this.#byId.keys()
    if (this.#byId.size > maxWaiting && oldest !== undefined) this.#byId.delete(oldest)
  }

  /** The facts of the finished retrieval of a URL; empty if the URL was not asked for. */
  take(url: string): Facts {
    for (const [id, { url: known, facts }] of this.#byId) {
      if (known !== redact(url)) continue
      this.#byId.delete(id)
      return facts
    }
    return new Facts(this.#servers)
  }
}
