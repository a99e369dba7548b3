import type { RetrievalError } from '@retriever/core'
import type { BatchOptions, Client, RetrieveOptions } from '@retriever/fetchers'
import type { RequestLogin } from '@retriever/fetchers/internal'
import { invalidOption } from '@retriever/fetchers/plugin'
import { checkFollow, type FollowOptions } from '../frontier/follow.ts'
import type { Store } from '../stores/store.ts'

/** Options of a worker. Times are milliseconds. */
export interface WorkOptions {
  /** Keeps what is retrieved. */
  readonly store: Store
  /** Retrieves; its `concurrency` and `perHost` cap those of the worker. Default: one that allows what they need. */
  readonly client?: Pick<Client, 'mapAll' | 'retrieve'>
  /** How many hosts have a turn here at a time, at least one in each shard. Default 50. */
  readonly hosts?: number
  /**
   * How many URLs of a host are retrieved at a time. A redirect to another host counts for that one on this worker
   * alone. Default 4.
   */
  readonly perHost?: number
  /** At least so long lies between the beginnings of two requests to a host. Default 0. */
  readonly interval?: number
  /** A host with more URLs gives its turn to others after so long. Default 10,000. */
  readonly turnTime?: number
  /** How often a URL is tried that failed for a reason that may pass. Default 5. */
  readonly tries?: number
  /** How many turns in a row a host may not answer before its URLs fail. Default 10. */
  readonly hostTries?: number
  /** The pause after a host's first turn in trouble, which doubles with each further one. Default 1,000. */
  readonly pause?: number
  /** The longest of these pauses. Default 900,000. What a host asks for (Retry-After) may be longer, up to a day. */
  readonly maxPause?: number
  /**
   * How long others wait before they take the hosts of a worker that is gone. All workers of a queue have the same.
   * Default 30,000, at least 1,000.
   */
  readonly lease?: number
  /**
   * Options of each retrieval. `limits.maxRetries` is 0 unless it is given: the queue tries again by itself. A server
   * that only a page has named gets of `headers` only Accept, Accept-Language and User-Agent, and no login.
   */
  readonly request?: Omit<RetrieveOptions, 'signal'>
  /**
   * Gives the login that a list names for a URL; null: it is unknown, and the URL fails. Check the URL if others write
   * lists, since they can name any login for any host.
   */
  readonly logins?: (name: string, url: string) => RequestLogin | null | Promise<RequestLogin | null>
  /**
   * Makes URLs of links. What the store has is then retrieved again, for its links. Default: none are followed.
   */
  readonly follow?: FollowOptions
  /**
   * Whether robots.txt of HTTP servers is obeyed, its Crawl-delay too. One worker asks for it, once a day for all of
   * them. Default: if links are followed.
   */
  readonly robots?: boolean
  /** Ends the worker: retrievals are aborted, and others take its hosts at once. */
  readonly signal?: AbortSignal
  /** Ends the worker softly: no URL begins, and others take its hosts when those under way have their outcomes. */
  readonly stop?: AbortSignal
  /** True: the worker ends when every URL of the queue has an outcome. Default false: it waits for more. */
  readonly untilDone?: boolean
  /** Called with each outcome that is about to be recorded. What it throws ends the worker. */
  readonly onOutcome?: (outcome: WorkOutcome) => void
}

/** What became of one URL. */
export interface WorkOutcome {
  readonly url: string
  /**
   * `stored`: now; `there`: a record was there; `listed`: a listing or menu whose entries became URLs of the queue, and
   * which has no record; `again`: it will be tried later; `failed`: for good.
   */
  readonly state: 'stored' | 'there' | 'listed' | 'again' | 'failed'
  /** Null unless the state is `again` or `failed`. */
  readonly error: RetrievalError | null
}

/** What a worker did. */
export interface WorkCounts {
  readonly stored: number
  readonly there: number
  readonly listed: number
  readonly again: number
  readonly failed: number
  /** How many turns it had, and how many of them were lost to others. */
  readonly turns: number
  readonly lost: number
}

/** The options with their defaults. */
export type KnownWorkOptions = Required<
  Omit<WorkOptions, 'client' | 'signal' | 'stop' | 'onOutcome' | 'logins' | 'request' | 'follow'>
> & {
  readonly signal: AbortSignal
  readonly stop: AbortSignal
  readonly logins: NonNullable<WorkOptions['logins']>
  readonly onOutcome: NonNullable<WorkOptions['onOutcome']>
  readonly request: BatchOptions
  readonly follow: FollowOptions | null
}

const least: Readonly<Record<string, number>> = {
  hosts: 1,
  perHost: 1,
  interval: 0,
  turnTime: 1,
  tries: 1,
  hostTries: 1,
  pause: 0,
  maxPause: 0,
  lease: 1000,
}

/** Throws `invalid-option`. */
export function readWorkOptions(options: WorkOptions): KnownWorkOptions {
  const never = new AbortController().signal
  const { client: _client, signal = never, stop = never, ...given } = options
  for (const [name, value] of Object.entries(least)) {
    const number: unknown = Reflect.get(options, name)
    if (number !== undefined && !(typeof number === 'number' && number >= value)) {
      throw invalidOption(name, `a number of ${value} or more`, number)
    }
  }
  // Timers take no longer times: they would fire every millisecond.
  if (options.lease !== undefined && options.lease > 2_147_483_647) {
    throw invalidOption('lease', 'a number from 1000 to 2147483647', options.lease)
  }
  if (typeof options.store?.put !== 'function')
    throw invalidOption('store', 'a store, such as folderStore(path)', options.store)
  if (options.follow !== undefined) checkFollow(options.follow)
  const { limits, ...request } = options.request ?? {}
  return {
    hosts: 50,
    perHost: 4,
    interval: 0,
    turnTime: 10_000,
    tries: 5,
    hostTries: 10,
    pause: 1000,
    maxPause: 900_000,
    lease: 30_000,
    untilDone: false,
    logins: () => null,
    onOutcome: () => {},
    robots: options.follow !== undefined,
    ...given,
    follow: options.follow ?? null,
    signal,
    stop,
    request: { ...request, limits: { maxRetries: 0, ...limits } },
  }
}
