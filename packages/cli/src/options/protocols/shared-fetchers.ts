import type { Asked } from '@retriever/core/internal'
import type { Fetcher } from '@retriever/fetchers'
import { type Mechanism, whenUsed } from './when-used.ts'

/**
 * The fetchers of the groups of --next. Groups whose options for a protocol are equal share one fetcher, and so one
 * pool. The keys of the pool still keep TLS, proxies, logins and addresses apart.
 */
export class SharedFetchers {
  readonly #all = new Map<string, Fetcher>()

  /** The fetcher of a mechanism, made with these options. */
  get<M extends Mechanism>(mechanism: M, options: object, load: () => Promise<Fetcher<M>>, asked: Asked = {}): Fetcher {
    const key = `${mechanism} ${JSON.stringify(options)}`
    const fetcher = this.#all.get(key) ?? whenUsed(mechanism, load, asked)
    this.#all.set(key, fetcher)
    return fetcher
  }

  /** Keeps the connections of all fetchers. The function that it returns ends this. */
  async hold(): Promise<() => Promise<void>> {
    const { createClient } = await import('@retriever/fetchers')
    const clients = [...this.#all.values()].map((fetcher) => createClient({ fetchers: [fetcher], builtins: false }))
    return async () => {
      await Promise.all(clients.map((client) => client.close()))
    }
  }
}
