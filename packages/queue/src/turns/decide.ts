import { RetrievalError, redact } from '@retriever/core'
import type { BatchItem, Client, Representation, RetrieveOptions } from '@retriever/fetchers'
import type { Follower } from '../frontier/follow.ts'
import { sumOf } from '../frontier/host.ts'
import { PageOctets } from '../frontier/page-links.ts'
import type { Shard } from '../redis/shard.ts'
import type { StoredUrl } from '../stores/store.ts'
import type { HostRobots } from './host-robots.ts'
import type { TurnUrl } from './taken.ts'
import type { KnownWorkOptions, WorkOutcome } from './work-options.ts'

/** What a turn needs of its worker. */
export interface TurnPlace {
  readonly shard: Shard
  readonly client: Pick<Client, 'mapAll' | 'retrieve'>
  readonly options: KnownWorkOptions
  /** Null: links are not followed. */
  readonly follower: Follower | null
  /** Aborts when the worker ends. */
  readonly signal: AbortSignal
  /** Aborts when the worker ends, or begins no further URL. */
  readonly stopping: AbortSignal
  /** Counts an outcome. */
  onOutcome(outcome: WorkOutcome): void
  /** The store, the client or Redis has failed: the worker cannot go on. */
  onFailed(error: unknown): void
}

/** A URL on its way, as a key of the batch. */
export interface Asked {
  readonly url: TurnUrl
  readonly stored: StoredUrl
  /** How many answers had come from the host before. */
  readonly answers: number
  /** Null: its links are not followed. */
  readonly page: PageOctets | null
}

/** What is done with a URL: it is asked for, or it has an outcome. */
type Decision = { readonly item: BatchItem<Asked> } | { readonly outcome: WorkOutcome }

/** Decides how the URLs of a turn are asked for, and keeps what comes. */
export class Decider {
  readonly #place: TurnPlace
  readonly #robots: HostRobots | null

  constructor(place: TurnPlace, robots: HostRobots | null) {
    this.#place = place
    this.#robots = robots
  }

  /** Rejects with what the store, or the caller's function, throws. */
  async decide(url: TurnUrl, answers: number): Promise<Decision> {
    const { options, follower } = this.#place
    const stored = { url: url.url, id: sumOf(url.url).toString('hex') }
    // The links of a page that a worker has stored before it was killed may not be added yet.
    if (follower === null && (await options.store.has(stored))) {
      return { outcome: { url: url.url, state: 'there', error: null } }
    }
    if ((await this.#robots?.allows(url)) === false) return failed(url, 'refused', 'robots.txt forbids it')
    const login = url.login === undefined ? undefined : await options.logins(url.login, url.url)
    if (login === null) return failed(url, 'auth-required', `\`logins\` gives no login @${url.login} for it`)
    const page = follower?.follows(url) === true ? new PageOctets() : null
    const own: RetrieveOptions = {
      ...(url.from === undefined ? forAdded(options.request) : { linkedFrom: url.from }),
      ...(login !== undefined && { login }),
      ...(page !== null && { onBody: (octets, id) => this.#onBody(page, octets, id) }),
    }
    return { item: { url: url.url, key: { url, stored, answers, page }, options: own } }
  }

  /** Reads a representation. */
  async keep(representation: Representation, { stored, page }: Asked): Promise<WorkOutcome['state']> {
    if (page !== null && (await page.begin(representation))) return 'listed'
    return (await this.#place.options.store.put(stored, representation)) ? 'stored' : 'there'
  }

  #onBody(page: PageOctets, octets: Uint8Array, id: number): void {
    page.add(octets)
    this.#place.options.request.onBody?.(octets, id)
  }
}

/** The options that only servers of added URLs get: a turn asks all others without them. */
function forAdded({ headers, http, login }: RetrieveOptions): RetrieveOptions {
  return { ...(headers && { headers }), ...(http && { http }), ...(login && { login }) }
}

function failed({ url }: TurnUrl, code: 'refused' | 'auth-required', why: string): Decision {
  const error = new RetrievalError(code, `${redact(url)}: ${why}.`, { phase: 'policy', url })
  return { outcome: { url, state: 'failed', error } }
}
