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

/** Gives the settings of a queue, which are those wanted if there are none; null if it is not to be made. */
export async function settle(
  redis: RedisClient,
  { settings }: QueueKeys,
  { shards, expects, create }: { readonly shards: number; readonly expects: number; readonly create: boolean },
): Promise<QueueSettings | null> {
  if (!create && (await redis.exists(settings)) === 0) return null
  const bucketBits = Math.min(16, Math.max(0, Math.ceil(Math.log2(expects / shards / bucketSize))))
  await redis.hsetnx(settings, 'shards', shards)
  await redis.hsetnx(settings, 'bucketBits', bucketBits)
  const found = await redis.hgetall(settings)
  return { shards: Number(found.shards), bucketBits: Number(found.bucketBits) }
}
