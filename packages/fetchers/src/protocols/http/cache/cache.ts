import type { HttpPlan } from '@retriever/core/internal'
import type { RetrievalContext } from '../../../contract/fetcher.ts'
import type { Answer, RangeRequest } from '../exchange.ts'
import { type Logins, requestFields } from '../request.ts'
import { CacheLookup, notCached, type Send } from './cache-lookup.ts'
import { cacheRequest, fieldsByName } from './cache-request.ts'
import { directivesOf } from './freshness.ts'
import type { Store } from './stored.ts'

/**
 * A private cache (RFC 9111) in front of the requests of one fetcher. We do not use undici's own cache: it handles
 * pushed events, while our bodies are pulled; after a 304 it forgets the response or validates it each time; it drops
 * the validator of a response that has been stale as long as it was fresh; and it revalidates after the retrieval's
 * end.
 */
export class Cache {
  readonly #store: Store
  readonly #maxEntrySize: number
  readonly #endings = new Set<Promise<void>>()

  constructor(store: Store, maxEntrySize: number) {
    this.#store = store
    this.#maxEntrySize = maxEntrySize
  }

  /**
   * Serves a stored response if RFC 9111 allows it. Otherwise it sends the request, and stores the response if it may.
   */
  async answer(
    plan: HttpPlan,
    context: RetrievalContext,
    ranged: RangeRequest,
    logins: Logins,
    send: Send,
  ): Promise<Answer> {
    const sent = requestFields(context.request, ranged, logins)
    const request = cacheRequest(plan, context, sent)
    if (request === null) {
      if (directivesOf(fieldsByName(sent))['only-if-cached']) throw notCached(context)
      return send(context)
    }
    await context.deadline.unlimited(() => this.#store.ready(context))
    const lookup = new CacheLookup(this.#store, this.#maxEntrySize, request, context, send, (ending) =>
      this.#track(ending),
    )
    return lookup.answer()
  }

  /** Settles when all writes have ended. */
  async close(): Promise<void> {
    while (this.#endings.size > 0) await Promise.all(this.#endings)
    await this.#store.close()
  }

  #track(ending: Promise<void>): void {
    this.#endings.add(ending)
    void ending.then(() => this.#endings.delete(ending))
  }
}
