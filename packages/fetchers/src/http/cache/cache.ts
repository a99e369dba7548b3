import type { HttpPlan } from '@retriever/core'
import type { RetrievalContext } from '../../plugin/fetcher.ts'
import type { Answer, RangeRequest } from '../exchange.ts'
import { type Logins, requestFields } from '../request.ts'
import { CacheLookup, type Send } from './cache-lookup.ts'
import { cacheRequest } from './cache-request.ts'
import type { Store } from './stored.ts'

/**
 * A private cache (RFC 9111) in front of the requests of one fetcher. undici's own would be put around pushed
 * events, while bodies are pulled here, and it forgets an answer that a 304 has confirmed, if that has Cache-
 * Control; else it asks again each time. It drops the validator of what has been stale for as long as it was
 * fresh, and goes on revalidating when the retrieval is over.
 */
export class Cache {
  readonly #store: Store
  readonly #maxEntrySize: number
  readonly #endings = new Set<Promise<void>>()

  constructor(store: Store, maxEntrySize: number) {
    this.#store = store
    this.#maxEntrySize = maxEntrySize
  }

  /** Answers out of the cache where RFC 9111 lets it; else sends the request, and keeps its answer where it may. */
  async answer(
    plan: HttpPlan,
    context: RetrievalContext,
    asking: RangeRequest,
    logins: Logins,
    send: Send,
  ): Promise<Answer> {
    const request = cacheRequest(plan, context, asking, requestFields(context.request, asking, logins))
    if (request === null) return send(context)
    await context.deadline.unlimited(() => this.#store.ready(context))
    const inquiry = new CacheLookup(this.#store, this.#maxEntrySize, request, context, send, (ending) =>
      this.#track(ending),
    )
    return inquiry.answer()
  }

  /** Settles when nothing is written any more. */
  async close(): Promise<void> {
    while (this.#endings.size > 0) await Promise.all(this.#endings)
    await this.#store.close()
  }

  #track(ending: Promise<void>): void {
    this.#endings.add(ending)
    void ending.then(() => this.#endings.delete(ending))
  }
}
