import { setTimeout } from 'node:timers/promises'
import { RetrievalError } from '@retriever/core'
import { createClient } from '@retriever/fetchers'
import { invalidOption } from '@retriever/fetchers/plugin'
import { Adder } from './frontier/adder.ts'
import { checkListed } from './frontier/checked.ts'
import { listedIn, type QueueSource } from './frontier/source.ts'
import { cancelAll, pauseAll, removeAll } from './outcomes/control.ts'
import { failuresOf, type QueueFailure, retryAll } from './outcomes/failures.ts'
import { isDone, progressOf, type QueueProgress } from './outcomes/progress.ts'
import { type QueueOptions, readQueueOptions } from './queue-options.ts'
import { connect, type RedisClient } from './redis/connection.ts'
import { QueueKeys, ShardKeys } from './redis/keys.ts'
import { toldInWords } from './redis/refusal.ts'
import { Shard } from './redis/shard.ts'
import { type QueueSettings, settle } from './settings.ts'
import { readWorkOptions, type WorkCounts, type WorkOptions } from './turns/work-options.ts'
import { Worker } from './turns/worker.ts'

/** Options of Queue.add. */
export interface AddOptions {
  /**
   * The number of turns of hosts, each of which another worker may have: for storage of your own, since `perHost` and
   * `interval` hold for each turn. A number is for all hosts; a record has the names of some. Default 1, at most 1,000.
   */
  readonly turns?: number | Readonly<Record<string, number>>
  /** Gets each URL that cannot be kept, with the error. Default: the first one ends add(). */
  readonly onRefused?: (url: string, error: RetrievalError) => void
  /** Ends add() with `aborted`; the URLs before stay. */
  readonly signal?: AbortSignal
}

/** What add() did. */
export interface Added {
  readonly added: number
  /** URLs that were in the queue, or that came twice. */
  readonly duplicates: number
  readonly refused: number
}

/**
 * A queue of URLs in Redis, for workers on any number of machines. Its methods reject with RetrievalError; while Redis
 * restarts, they wait.
 */
export interface Queue extends AsyncDisposable {
  readonly name: string
  /**
   * Adds URLs, each once: two spellings of one URL are one. Resolves when Redis has them. Rejects with `malformed-url`
   * and the like, with `invalid-option` for a URL with a password, which name the line, or with `file-failed`.
   */
  add(source: QueueSource, options?: AddOptions): Promise<Added>
  /**
   * Retrieves URLs until `signal` aborts, or all are done (`untilDone`). A host has one worker at a time, here or
   * elsewhere. Rejects with what the store throws, such as `write-failed`; then others take its URLs.
   */
  work(options: WorkOptions): Promise<WorkCounts>
  progress(): Promise<QueueProgress>
  /** The URLs that failed for good, host by host in the order of time. */
  failures(): AsyncIterable<QueueFailure>
  /** Gives all failed URLs back to their hosts. Resolves to their number. */
  retry(): Promise<number>
  /** Lets workers take no further URLs; those under way go on. */
  pause(): Promise<void>
  resume(): Promise<void>
  /**
   * Drops all URLs without an outcome; their number is `cancelled` in progress(). Workers abort those under way. They
   * stay known: adding them again changes nothing. Resolves to the number.
   */
  cancel(): Promise<number>
  /**
   * Removes the queue from Redis, with what it knows of URLs and failures, so that the name can be used anew. Its
   * workers are to be ended before. The object can only be closed then.
   */
  remove(): Promise<void>
  /** Resolves when every URL has an outcome. Rejects with the reason of the signal. */
  drain(options?: { readonly signal?: AbortSignal }): Promise<void>
  /** Ends the connection to Redis. Workers that this object has are to be ended before, by their signal. */
  close(): Promise<void>
}

/**
 * Opens a queue, and makes it if there is none. Rejects with `connect-failed`, `certificate` or `auth-failed` if Redis
 * cannot be used, with `not-found` if there is no such queue and `create` is false, and with `invalid-option`.
 */
export async function openQueue(options: QueueOptions): Promise<Queue> {
  const { connection, name, prefix, ...wanted } = readQueueOptions(options)
  const redis = await connect(connection)
  const keys = new QueueKeys(prefix, name)
  const settings = await toldInWords(() => settle(redis, keys, wanted)).catch((error) => {
    redis.disconnect()
    throw error
  })
  if (settings === null) {
    redis.disconnect()
    throw new RetrievalError('not-found', `There is no queue ${name} in this Redis; add URLs to it first.`, {
      phase: 'resolve',
    })
  }
  const shards = Array.from({ length: settings.shards }, (_, at) => new Shard(redis, new ShardKeys(prefix, name, at)))
  return new RedisQueue(name, redis, keys, shards, settings)
}

/** The most turns of a host. */
const mostTurns = 1000
/** How often drain() asks, in milliseconds. */
const drainEvery = 250

class RedisQueue implements Queue {
  readonly name: string
  readonly #redis: RedisClient
  readonly #keys: QueueKeys
  readonly #shards: readonly Shard[]
  readonly #settings: QueueSettings

  constructor(name: string, redis: RedisClient, keys: QueueKeys, shards: readonly Shard[], settings: QueueSettings) {
    this.name = name
    this.#redis = redis
    this.#keys = keys
    this.#shards = shards
    this.#settings = settings
  }

  add(source: QueueSource, options: AddOptions = {}): Promise<Added> {
    return toldInWords(() => this.#add(source, options))
  }

  async #add(source: QueueSource, { turns = 1, onRefused, signal }: AddOptions): Promise<Added> {
    if (typeof source !== 'object' || source === null)
      throw invalidOption('source', 'a list of URLs, { file } or { lines }', source)
    checkTurns(turns)
    const turnsOf = typeof turns === 'number' ? () => turns : (host: string) => turns[host] ?? 1
    const adder = new Adder({ shards: this.#shards, sums: this.#settings.sums }, { turnsOf })
    let refused = 0
    try {
      for await (const listed of listedIn(source)) {
        signal?.throwIfAborted()
        try {
          const sent = adder.add(checkListed(listed))
          if (sent !== null) await sent
        } catch (error) {
          if (onRefused === undefined || !RetrievalError.is(error)) throw error
          refused++
          onRefused(listed.url, error)
        }
      }
    } finally {
      await adder.end()
    }
    await this.#checkThere()
    return { added: adder.added, duplicates: adder.duplicates, refused }
  }

  async work(options: WorkOptions): Promise<WorkCounts> {
    const known = readWorkOptions(options)
    const { hosts, perHost } = known
    const own = options.client === undefined ? createClient({ perHost, concurrency: hosts * perHost }) : null
    try {
      const place = {
        redis: this.#redis,
        keys: this.#keys,
        shards: this.#shards,
        sums: this.#settings.sums,
        isDone: () => this.#isDone(),
      }
      return await toldInWords(() => new Worker(place, options.client ?? own ?? createClient(), known).run())
    } finally {
      await own?.close()
    }
  }

  progress(): Promise<QueueProgress> {
    return toldInWords(async () => {
      await this.#checkThere()
      return await progressOf(this.#redis, this.#keys, this.#shards)
    })
  }

  failures(): AsyncIterable<QueueFailure> {
    return failuresOf(this.#shards)
  }

  retry(): Promise<number> {
    return toldInWords(() => retryAll(this.#shards))
  }

  pause(): Promise<void> {
    return toldInWords(() => pauseAll(this.#shards, true))
  }

  resume(): Promise<void> {
    return toldInWords(() => pauseAll(this.#shards, false))
  }

  cancel(): Promise<number> {
    return toldInWords(() => cancelAll(this.#shards))
  }

  async remove(): Promise<void> {
    await removeAll(this.#shards, this.#settings.sums)
    await this.#redis.unlink(this.#keys.settings)
    await this.#redis.unlink(this.#keys.workers)
  }

  async drain({ signal }: { readonly signal?: AbortSignal } = {}): Promise<void> {
    while (!(await this.#isDone())) await pauseFor(drainEvery, signal)
  }

  async #isDone(): Promise<boolean> {
    if (!(await isDone(this.#shards))) return false
    await this.#checkThere()
    return true
  }

  /** Throws `not-found` if Redis has lost the queue: it restarted without its data, or somebody has removed it. */
  async #checkThere(): Promise<void> {
    if ((await this.#redis.exists(this.#keys.settings)) === 1) return
    const message = `The queue ${this.name} is gone from Redis, and what was left of it; add its URLs again.`
    throw new RetrievalError('not-found', message, { phase: 'request' })
  }

  async close(): Promise<void> {
    await Promise.all(this.#shards.map((shard) => shard.close()))
    this.#redis.disconnect()
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close()
  }
}

/** Throws `invalid-option`. */
function checkTurns(turns: NonNullable<AddOptions['turns']>): void {
  const wrong = (typeof turns === 'number' ? [turns] : Object.values(turns)).find(
    (each) => !Number.isInteger(each) || each < 1 || each > mostTurns,
  )
  if (wrong !== undefined) throw invalidOption('turns', `a whole number from 1 to ${mostTurns}`, wrong)
}

/** Rejects with the reason of the signal. */
async function pauseFor(milliseconds: number, signal: AbortSignal | undefined): Promise<void> {
  try {
    await setTimeout(milliseconds, undefined, { ...(signal && { signal }) })
  } catch (error) {
    signal?.throwIfAborted()
    throw error
  }
}
