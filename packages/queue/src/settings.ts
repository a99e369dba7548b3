import { RetrievalError } from '@retriever/core'
import type { KnownQueueOptions } from './queue-options.ts'
import type { RedisClient } from './redis/connection.ts'
import type { QueueKeys } from './redis/keys.ts'

/** What holds for a queue since it was opened first: names of keys depend on it. */
export interface QueueSettings {
  readonly shards: number
  /** The number of bits in the number of a bucket of sums, for each shard. */
  readonly bucketBits: number
}

/** So many sums are meant for a bucket: Redis keeps a hash of up to 512 fields packed (hash-max-listpack-entries). */
const bucketSize = 300

const defaultShards = 8

type Wanted = Pick<KnownQueueOptions, 'shards' | 'expects' | 'create'>

/**
 * Gives the settings of a queue, which are those wanted if there are none; null if it is not to be made. Throws
 * `invalid-option` if it has others than those wanted.
 */
export async function settle(redis: RedisClient, keys: QueueKeys, wanted: Wanted): Promise<QueueSettings | null> {
  const settled = await readOrMake(redis, keys, wanted)
  if (settled === null || wanted.shards === undefined || wanted.shards === settled.shards) return settled
  const message = `This queue has ${settled.shards} shards, which cannot be changed: leave \`shards\` out.`
  throw new RetrievalError('invalid-option', message, { phase: 'resolve' })
}

async function readOrMake(redis: RedisClient, { settings }: QueueKeys, wanted: Wanted): Promise<QueueSettings | null> {
  const { shards = defaultShards, expects, create } = wanted
  const there = await redis.hgetall(settings)
  // Who makes a queue writes one of them before the other.
  if (there.shards !== undefined && there.bucketBits !== undefined) return checked(there, settings)
  if (!create) return null
  const bucketBits = Math.min(16, Math.max(0, Math.ceil(Math.log2(expects / shards / bucketSize))))
  await redis.hsetnx(settings, 'shards', shards)
  await redis.hsetnx(settings, 'bucketBits', bucketBits)
  return checked(await redis.hgetall(settings), settings)
}

/** Throws `protocol-violation` for what no queue has: URLs would be lost in shards that are none. */
function checked({ shards, bucketBits }: Record<string, string>, key: string): QueueSettings {
  const found = { shards: Number(shards), bucketBits: Number(bucketBits) }
  if (isWhole(found.shards, 1, 1024) && isWhole(found.bucketBits, 0, 16)) return found
  const message = `The key ${key} in Redis has no settings of a queue; another program has written it. Remove it.`
  throw new RetrievalError('protocol-violation', message, { phase: 'resolve' })
}

function isWhole(value: number, least: number, most: number): boolean {
  return Number.isInteger(value) && value >= least && value <= most
}
