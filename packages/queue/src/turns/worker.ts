import { randomBytes } from 'node:crypto'
import { setMaxListeners } from 'node:events'
import { setTimeout } from 'node:timers/promises'
import { RetrievalError } from '@retriever/core'
import type { Client } from '@retriever/fetchers'
import { Worker as BullWorker, DelayedError, type Job } from 'bullmq'
import { Follower } from '../frontier/follow.ts'
import type { Sums } from '../frontier/sums.ts'
import type { RedisClient } from '../redis/connection.ts'
import type { QueueKeys } from '../redis/keys.ts'
import { ofRefusal } from '../redis/refusal.ts'
import type { Shard } from '../redis/shard.ts'
import { findLost } from '../scripts/frontier.ts'
import type { TurnPlace } from './decide.ts'
import { Lease } from './lease.ts'
import { Turn } from './turn.ts'
import type { KnownWorkOptions, WorkCounts, WorkOutcome } from './work-options.ts'

/** How often a worker says that it is there, and looks for hosts that lost their turns, in milliseconds. */
const lookEvery = 5000
/** How often a worker asks whether all is done. */
const askEvery = 500
/** How many hosts one script looks at. */
const scanned = 500

/** What a worker needs of its queue. */
export interface WorkPlace {
  readonly redis: RedisClient
  readonly keys: QueueKeys
  readonly shards: readonly Shard[]
  readonly sums: Sums
  /** Whether every URL has an outcome. */
  isDone(): Promise<boolean>
}

/** Takes turns of hosts in all shards. */
export class Worker {
  readonly #place: WorkPlace
  readonly #client: Pick<Client, 'mapAll' | 'retrieve'>
  readonly #options: KnownWorkOptions
  readonly #id = randomBytes(8).toString('hex')
  readonly #leases = new Set<Lease>()
  readonly #counts = { stored: 0, there: 0, listed: 0, again: 0, failed: 0, turns: 0, lost: 0 }
  readonly #end = new AbortController()
  /** Aborts when the worker ends, or begins no further URL. */
  readonly #stopping: AbortSignal
  readonly #follower: Follower | null
  #failure: { readonly error: unknown } | null = null

  constructor(place: WorkPlace, client: Pick<Client, 'mapAll' | 'retrieve'>, options: KnownWorkOptions) {
    this.#place = place
    this.#client = client
    this.#options = options
    // Each turn listens.
    setMaxListeners(0, this.#end.signal)
    this.#stopping = AbortSignal.any([this.#end.signal, options.stop])
    setMaxListeners(0, this.#stopping)
    this.#follower = options.follow === null ? null : new Follower(place, options.follow)
  }

  /** Resolves when the worker has ended as its options say. Rejects if the store, or the caller's function, fails. */
  async run(): Promise<WorkCounts> {
    const { shards } = this.#place
    const { signal, hosts } = this.#options
    const abort = (): void => this.#end.abort()
    signal.addEventListener('abort', abort, { once: true })
    if (signal.aborted) abort()
    const workers = shards.map((shard, at) => this.#workerOf(shard, hostsOf(hosts, shards.length, at)))
    const looking = setInterval(() => void this.#look().catch(() => {}), lookEvery)
    try {
      await this.#look()
      for (const worker of workers) void worker.run().catch((error) => this.#fail(error))
      await this.#untilEnd()
    } finally {
      clearInterval(looking)
      await Promise.all(workers.map((worker) => worker.close()))
      signal.removeEventListener('abort', abort)
      await this.#place.redis.zrem(this.#place.keys.workers, this.#id)
    }
    if (this.#failure !== null) throw this.#failure.error
    return { ...this.#counts }
  }

  async #untilEnd(): Promise<void> {
    const signal = this.#stopping
    while (!signal.aborted) {
      if (this.#options.untilDone && this.#leases.size === 0 && (await this.#place.isDone())) return
      await setTimeout(askEvery, undefined, { signal }).catch(() => {})
    }
  }

  #workerOf(shard: Shard, concurrency: number): BullWorker {
    const { lease } = this.#options
    const worker = new BullWorker(
      shard.keys.queue,
      (job: Job, token: string | undefined) => this.#turn(shard, job, token ?? ''),
      {
        connection: this.#place.redis,
        prefix: shard.keys.prefix,
        concurrency,
        autorun: false,
        lockDuration: lease,
        stalledInterval: lease / 2,
        // Of the workers that wait for a delayed host, one is told of its time; others look every second.
        drainDelay: 1,
        // A host whose workers were killed again and again is no failed job.
        maxStalledCount: 2 ** 31 - 1,
        removeOnComplete: { count: 0 },
        removeOnFail: { count: 0 },
      },
    )
    worker.on('error', () => {})
    worker.on('lockRenewalFailed', (jobs) => {
      for (const lease of this.#leases) if (jobs.includes(lease.turn)) lease.lose()
    })
    // URLs may have come after the turn's last look, when the host still had a job.
    worker.on('completed', (job) => void this.#lookAt(shard, job.id ?? '').catch(() => {}))
    return worker
  }

  async #turn(shard: Shard, job: Job, token: string): Promise<void> {
    const lease = new Lease(shard, job.id ?? '', token, this.#options.lease)
    this.#leases.add(lease)
    this.#counts.turns++
    try {
      const end = await new Turn(this.#turnPlace(shard), lease).run()
      if (end === null) this.#counts.lost++
      else if (end.next === null) return
      // A lost turn is none of ours: BullMQ would fail to end it.
      else await job.moveToDelayed(Math.max(end.next, Date.now()), token)
      throw new DelayedError()
    } catch (error) {
      const told = ofRefusal(error)
      if (RetrievalError.is(told)) this.#fail(told)
      throw error
    } finally {
      lease.end()
      this.#leases.delete(lease)
    }
  }

  #turnPlace(shard: Shard): TurnPlace {
    return {
      shard,
      client: this.#client,
      options: this.#options,
      follower: this.#follower,
      signal: this.#end.signal,
      stopping: this.#stopping,
      onOutcome: (outcome) => this.#onOutcome(outcome),
      onFailed: (error) => this.#fail(error),
    }
  }

  #onOutcome(outcome: WorkOutcome): void {
    this.#counts[outcome.state]++
    try {
      this.#options.onOutcome(outcome)
    } catch (error) {
      this.#fail(error)
    }
  }

  #fail(error: unknown): void {
    this.#failure ??= { error }
    this.#end.abort()
  }

  async #look(): Promise<void> {
    const { redis, keys, shards } = this.#place
    await redis.zadd(keys.workers, Date.now(), this.#id)
    for (const shard of shards) {
      let cursor = '0'
      do {
        const found = (await shard.run(findLost, shard.keys.queue, cursor, scanned)) as [Buffer, Buffer[]]
        cursor = found[0].toString()
        await shard.addTurns(found[1].map((turn) => turn.toString()))
      } while (cursor !== '0' && !this.#end.signal.aborted)
    }
  }

  async #lookAt(shard: Shard, turn: string): Promise<void> {
    if ((await shard.redis.sismember(`${shard.keys.base}o`, turn)) === 1) await shard.addTurns([turn])
  }
}

/** The share of one shard in the hosts of a worker. */
function hostsOf(hosts: number, shards: number, at: number): number {
  return Math.max(1, Math.floor(hosts / shards) + (at < hosts % shards ? 1 : 0))
}
