import type { Mechanism } from '@retriever/core'
import { maxDepth } from '../nntp/connection/server-quirks.ts'
import type { Fetcher } from '../plugin/fetcher.ts'
import { invalidOption } from '../plugin/limits.ts'
import { count } from '../plugin/options.ts'

/** What can fetch which mechanism, one a line. Each is loaded on its first use. */
const builtin: Readonly<Record<string, () => Promise<Fetcher>>> = {
  ftp: async () => (await import('../ftp/index.ts')).ftpFetcher() as Fetcher,
  http: async () => (await import('../http/index.ts')).httpFetcher() as Fetcher,
  gopher: async () => (await import('../gopher/index.ts')).gopherFetcher() as Fetcher,
  nntp: async () => (await import('../nntp/index.ts')).nntpFetcher() as Fetcher,
  telnet: async () => (await import('../telnet/index.ts')).telnetFetcher() as Fetcher,
  file: async () => (await import('../file/index.ts')).fileFetcher() as Fetcher,
}

/** Fetcher.inFlight of those, known before they are loaded. */
const inFlight: Readonly<Record<string, number>> = { nntp: maxDepth }

/** The mechanisms that need no plug-in. */
export const builtinMechanisms: readonly string[] = Object.keys(builtin)

/** Open clients that have a fetcher of the caller: it may be given to several. */
const clients = new WeakMap<Fetcher, number>()

/** The fetchers of one client: the caller's own go before the built-in ones. */
export class Registry {
  readonly #own: readonly Fetcher[]
  readonly #loaded = new Map<string, Promise<Fetcher>>()
  readonly #inFlight = new Map<string, number>()

  /** Throws `invalid-option` where two fetchers claim one mechanism or one is none. */
  constructor(own: readonly Fetcher[] = []) {
    for (const fetcher of own) {
      if (typeof fetcher?.mechanism !== 'string' || typeof fetcher.retrieve !== 'function') {
        throw invalidOption('fetchers', 'a list of objects with `mechanism` and `retrieve`', fetcher)
      }
      if (this.#loaded.has(fetcher.mechanism)) {
        throw invalidOption('fetchers', `one fetcher for "${fetcher.mechanism}"`, 'two')
      }
      if (fetcher.inFlight !== undefined && !count[1](fetcher.inFlight)) {
        throw invalidOption(`${fetcher.mechanism}.inFlight`, count[0], fetcher.inFlight)
      }
      this.#loaded.set(fetcher.mechanism, Promise.resolve(fetcher))
      this.#inFlight.set(fetcher.mechanism, fetcher.inFlight ?? 1)
    }
    this.#own = [...own]
  }

  /** From now on there is a client that has them, until dispose(). */
  hold(): void {
    for (const fetcher of this.#own) clients.set(fetcher, (clients.get(fetcher) ?? 0) + 1)
  }

  /** Retrievals that share one connection. */
  inFlight(mechanism: Mechanism): number {
    return this.#inFlight.get(mechanism) ?? inFlight[mechanism] ?? 1
  }

  /** Undefined where nothing can fetch it. */
  get(mechanism: Mechanism): Promise<Fetcher> | undefined {
    const known = this.#loaded.get(mechanism)
    if (known !== undefined || !Object.hasOwn(builtin, mechanism)) return known
    const loading = builtin[mechanism]?.()
    if (loading !== undefined) this.#loaded.set(mechanism, loading)
    return loading
  }

  /**
   * Disposes of all, also where one fails; rejects then with what the first failure was. One that another open client
   * has too is left to that client.
   */
  async dispose(): Promise<void> {
    // One that could not be loaded has said so to whoever asked for it, and holds nothing.
    const loading = [...this.#loaded.values()]
    this.#loaded.clear()
    const loaded = await Promise.allSettled(loading)
    const fetchers = loaded.flatMap((each) => (each.status === 'fulfilled' && isLast(each.value) ? [each.value] : []))
    const ended = await Promise.allSettled(fetchers.map(async (fetcher) => fetcher.dispose?.()))
    for (const end of ended) if (end.status === 'rejected') throw end.reason
  }
}

/** One client fewer has it: whether that was the last. */
function isLast(fetcher: Fetcher): boolean {
  const others = (clients.get(fetcher) ?? 1) - 1
  clients.set(fetcher, others)
  return others === 0
}
