import { RetrievalError } from '@retriever/core'
import type { Client, RetrieveOptions } from '@retriever/fetchers'
import { forOtherOrigin } from '@retriever/fetchers/internal'
import { type Robots, readRobots, robotsTextOf } from '@retriever/fetchers/pages'
import type { QueuedUrl } from '../frontier/block.ts'
import type { Shard } from '../redis/shard.ts'

/** How long a robots.txt is kept for all workers, in seconds (RFC 9309 2.4: at most a day). */
const kept = 24 * 60 * 60
/** The longest delay that a robots.txt gets, in milliseconds. */
const longestDelay = 5 * 60 * 1000

/**
 * The robots.txt of the servers of one host, which one worker asks for and all have. The rules for links hold for it as
 * for the URL itself: a page must not make a worker ask this machine for anything.
 */
export class HostRobots {
  readonly #shard: Shard
  readonly #client: Pick<Client, 'retrieve'>
  readonly #request: RetrieveOptions
  readonly #known = new Map<string, Promise<Robots>>()

  constructor(shard: Shard, client: Pick<Client, 'retrieve'>, request: RetrieveOptions) {
    this.#shard = shard
    this.#client = client
    this.#request = request
  }

  /** Whether a URL may be retrieved. Rejects if the server does not answer. */
  async allows({ url, from }: QueuedUrl): Promise<boolean> {
    const web = webUrl(url)
    return web === null || (await this.#of(web.origin, from)).allows(web.pathname + web.search)
  }

  /** The milliseconds that the server of a URL wants between requests. */
  async delayFor({ url, from }: QueuedUrl): Promise<number> {
    const web = webUrl(url)
    const delay = web === null ? null : (await this.#of(web.origin, from)).crawlDelay
    return Math.min(longestDelay, (delay ?? 0) * 1000)
  }

  #of(origin: string, from: string | undefined): Promise<Robots> {
    const known = this.#known.get(origin)
    if (known !== undefined) return known
    const asked = this.#ask(origin, from)
    this.#known.set(origin, asked)
    asked.catch((error: unknown) => {
      // Another URL of this server may have been added, and not linked to.
      if (RetrievalError.is(error) && error.code === 'refused') this.#known.delete(origin)
    })
    return asked
  }

  async #ask(origin: string, from: string | undefined): Promise<Robots> {
    const { redis, keys } = this.#shard
    const key = `${keys.base}r:${origin}`
    const known = await redis.get(key)
    if (known !== null) return readRobots(known)
    const retrieve = (url: string, options: RetrieveOptions): ReturnType<Client['retrieve']> => {
      // Its own limits are not all: the queue tries again by itself.
      return this.#client.retrieve(url, { ...options, limits: { ...this.#request.limits, ...options.limits } })
    }
    const request = from === undefined ? this.#request : { ...forOtherOrigin(this.#request), linkedFrom: from }
    const text = await robotsTextOf(origin, { retrieve }, request)
    await redis.set(key, text, 'EX', kept)
    return readRobots(text)
  }
}

function webUrl(url: string): URL | null {
  return /^https?:/i.test(url) ? new URL(url) : null
}
