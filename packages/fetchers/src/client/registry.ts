import type { Mechanism, RetrievalError, Scheme } from '@retriever/core'
import { adviceText } from '@retriever/core/internal'
import type { Protocol } from '../contract/about.ts'
import type { Fetcher, RetrievalContext } from '../contract/fetcher.ts'
import { invalidOption } from '../kit/limits.ts'
import { notLoaded } from '../kit/optional-library.ts'
import { count, text } from '../kit/options.ts'
import { checkHonours } from './options/honoured.ts'
import { type KnownOptions, knownOptions } from './options/known.ts'

/** Makes a fetcher of the same mechanism that stands before another one. */
type Wrap = <M extends Mechanism>(fetcher: Fetcher<M>) => Fetcher<M>

/** The fetchers of each client. */
const registries = new WeakMap<object, Registry>()

/**
 * Makes each retrieval of a client from now on pass the fetchers that `wrap` makes of its own: to record or to count
 * what they bring. The function returned ends that. Throws `invalid-option` if this copy of the package did not make
 * the client.
 */
export function wrapFetchers(client: object, wrap: Wrap): () => void {
  const registry = registries.get(client)
  if (registry === undefined) throw invalidOption('client', 'a client that createClient() of this package made', client)
  return registry.observe(wrap)
}

/** The number of open clients that have each of the callers' fetchers: one fetcher may be given to several. */
const clients = new WeakMap<Fetcher, number>()

/** The fetchers of one client. The caller's own take precedence over the protocols that it is made with. */
export class Registry {
  readonly #own: readonly Fetcher[]
  readonly #protocols: readonly Protocol[]
  #loaded: { [M in Mechanism]?: Promise<Fetcher<M>> } = {}
  readonly #observers = new Set<Wrap>()
  /** The options of retrievals by these fetchers. */
  readonly options: KnownOptions

  /** Throws `invalid-option` if two fetchers have the same mechanism, or one is not a fetcher. */
  constructor(own: readonly Fetcher[], protocols: readonly Protocol[]) {
    this.#protocols = protocols
    this.options = knownOptions(protocols, own)
    for (const fetcher of own) {
      if (typeof fetcher?.mechanism !== 'string' || typeof fetcher.retrieve !== 'function') {
        throw invalidOption('fetchers', 'a list of objects with `mechanism` and `retrieve`', fetcher)
      }
      if (Object.hasOwn(this.#loaded, fetcher.mechanism)) {
        throw invalidOption('fetchers', `one fetcher for "${fetcher.mechanism}"`, 'two')
      }
      if (fetcher.inFlight !== undefined && !count[1](fetcher.inFlight)) {
        throw invalidOption(`${fetcher.mechanism}.inFlight`, count[0], fetcher.inFlight)
      }
      if (fetcher.title !== undefined && !text[1](fetcher.title)) {
        throw invalidOption(`${fetcher.mechanism}.title`, text[0], fetcher.title)
      }
      checkHonours(fetcher, this.options)
      this.#keep(fetcher.mechanism, Promise.resolve(fetcher))
    }
    this.#own = [...own]
  }

  /** The mechanisms of the caller's fetchers. */
  get own(): readonly Mechanism[] {
    return this.#own.map(({ mechanism }) => mechanism)
  }

  /** Makes each retrieval from now on pass `wrap`'s fetchers. The function returned ends that. */
  observe(wrap: Wrap): () => void {
    this.#observers.add(wrap)
    return () => this.#observers.delete(wrap)
  }

  /** Counts the client as one that has these fetchers, until dispose(). */
  hold(client: object): void {
    registries.set(client, this)
    for (const fetcher of this.#own) clients.set(fetcher, (clients.get(fetcher) ?? 0) + 1)
  }

  /** The number of retrievals that share one connection. */
  inFlight(mechanism: Mechanism): number {
    const own = this.#own.find((fetcher) => fetcher.mechanism === mechanism)
    return (own ?? this.#protocolOf(mechanism))?.inFlight ?? 1
  }

  /** What is known of a mechanism before its fetcher is loaded. */
  about(mechanism: Mechanism): Protocol | undefined {
    return this.#protocolOf(mechanism)
  }

  /** The fetcher of a mechanism, behind its observers; undefined if there is none. */
  get<M extends Mechanism>(mechanism: M): Promise<Fetcher<M>> | undefined {
    const found = this.#find(mechanism)
    if (this.#observers.size === 0) return found
    return found?.then((fetcher) => [...this.#observers].reduce((inner, wrap) => wrap(inner), fetcher))
  }

  #find<M extends Mechanism>(mechanism: M): Promise<Fetcher<M>> | undefined {
    if (Object.hasOwn(this.#loaded, mechanism)) return this.#loaded[mechanism]
    const protocol = this.#protocolOf(mechanism)
    if (protocol === undefined || protocol.leftOut !== undefined) return
    const loaded = protocol.load().catch((cause) => Promise.reject(notLoaded(mechanism, cause)))
    this.#keep(mechanism, loaded)
    return loaded
  }

  #protocolOf<M extends Mechanism>(mechanism: M): Protocol<M> | undefined {
    return this.#protocols.find((protocol): protocol is Protocol<M> => protocol.mechanism === mechanism)
  }

  #keep<M extends Mechanism>(mechanism: M, fetcher: Promise<Fetcher<M>>): void {
    this.#loaded = { ...this.#loaded, [mechanism]: fetcher }
  }

  /**
   * Disposes of all fetchers, even if one fails; then rejects with the first failure. Fetchers that another open client
   * has too are left to that client.
   */
  async dispose(): Promise<void> {
    // A fetcher that could not be loaded has failed its retrieval already, and holds nothing.
    const loading: Promise<Fetcher>[] = Object.values(this.#loaded)
    this.#loaded = {}
    const loaded = await Promise.allSettled(loading)
    const fetchers = loaded.flatMap((each) => (each.status === 'fulfilled' && isLast(each.value) ? [each.value] : []))
    const ended = await Promise.allSettled(fetchers.map(async (fetcher) => fetcher.dispose?.()))
    for (const end of ended) if (end.status === 'rejected') throw end.reason
  }
}

/** Removes one client from a fetcher's count, and says whether it was the last. */
function isLast(fetcher: Fetcher): boolean {
  const others = (clients.get(fetcher) ?? 1) - 1
  clients.set(fetcher, others)
  return others === 0
}

/** Whether a URL without a fetcher is handed over: its scheme names a service, and no fetcher was left out. */
export function isService({ handoff = false, mechanism }: Scheme, registry: Registry): boolean {
  return handoff && registry.about(mechanism)?.leftOut === undefined
}

/** The error for a URL that no fetcher of the client retrieves. */
export function noFetcher(
  scheme: Scheme,
  mechanism: Mechanism,
  registry: Registry,
  context: RetrievalContext,
): RetrievalError {
  const understood = `${scheme.name} URLs are understood, but nothing here retrieves them.`
  const left = registry.about(mechanism)?.leftOut
  if (left !== undefined) {
    const what = `${understood} This client is made without its own for "${mechanism}"`
    return context.error('no-fetcher', `${what}; ${adviceText(left)} adds it.`, { phase: 'resolve', advice: left })
  }
  const advice = { option: 'fetchers' } as const
  const hint = scheme.hint ?? `Retrieve "${mechanism}" by ${adviceText(advice)}.`
  const details = { phase: 'resolve', ...(scheme.hint === undefined && { advice }) } as const
  return context.error('no-fetcher', `${understood} ${hint}`, details)
}
