import type { RedisClient } from '../redis/connection.ts'
import type { QueueKeys } from '../redis/keys.ts'
import type { Shard } from '../redis/shard.ts'

/** How far a queue is. */
export interface QueueProgress {
  /** All URLs that were added, without duplicates: the sum of done, failed, cancelled and left. */
  readonly added: number
  /** Recorded by the store. */
  readonly done: number
  /** Failed for good. */
  readonly failed: number
  readonly cancelled: number
  /** Without an outcome. */
  readonly left: number
  /** How often a URL was put back to be tried again. */
  readonly again: number
  /** Hosts that have URLs without an outcome. */
  readonly hosts: number
  /** Turns of hosts: at a worker, waiting for one, and waiting for the host's next time. */
  readonly turns: { readonly active: number; readonly waiting: number; readonly delayed: number }
  /** Workers that were there in the last 30 seconds. */
  readonly workers: number
  readonly isPaused: boolean
}

/** A worker that has not been seen for so long is gone, in milliseconds. */
const goneAfter = 30_000

export async function progressOf(
  redis: RedisClient,
  keys: QueueKeys,
  shards: readonly Shard[],
): Promise<QueueProgress> {
  const all = await Promise.all(shards.map(progressOfShard))
  const sum = (value: (each: ShardProgress) => number): number => all.reduce((total, each) => total + value(each), 0)
  const of = (name: string): number => sum(({ counts }) => Number(counts[name] ?? 0))
  const [added, done, failed, cancelled] = ['added', 'done', 'failed', 'cancelled'].map(of) as [
    number,
    number,
    number,
    number,
  ]
  return {
    added,
    done,
    failed,
    cancelled,
    // Others may write to Redis: a hostile block has more outcomes than URLs.
    left: Math.max(0, added - done - failed - cancelled),
    again: of('again'),
    hosts: sum(({ hosts }) => hosts),
    turns: {
      active: sum(({ jobs }) => jobs.active ?? 0),
      waiting: sum(({ jobs }) => jobs.wait ?? 0),
      delayed: sum(({ jobs }) => jobs.delayed ?? 0),
    },
    workers: await redis.zcount(keys.workers, Date.now() - goneAfter, '+inf'),
    isPaused: all.some(({ isPaused }) => isPaused),
  }
}

interface ShardProgress {
  readonly counts: Readonly<Record<string, string>>
  readonly hosts: number
  readonly jobs: Readonly<Record<string, number>>
  readonly isPaused: boolean
}

async function progressOfShard({ redis, keys, bull }: Shard): Promise<ShardProgress> {
  const [counts, hosts, jobs, isPaused] = await Promise.all([
    redis.hgetall(`${keys.base}c`),
    redis.scard(`${keys.base}o`),
    bull.getJobCounts('active', 'wait', 'delayed'),
    bull.isPaused(),
  ])
  return { counts, hosts, jobs, isPaused }
}

/** Whether no host has a URL without an outcome. */
export async function isDone(shards: readonly Shard[]): Promise<boolean> {
  const open = await Promise.all(shards.map(({ redis, keys }) => redis.scard(`${keys.base}o`)))
  return open.every((hosts) => hosts === 0)
}
