import { RetrievalError } from '@retriever/core'
import { formatSums, readSums, type Sums, sumsFor } from './frontier/sums.ts'
import type { KnownQueueOptions, LastingOption } from './queue-options.ts'
import type { RedisClient } from './redis/connection.ts'
import type { QueueKeys } from './redis/keys.ts'

/** What holds for a queue since it was opened first: names of keys depend on it. */
export interface QueueSettings {
  readonly shards: number
  /** How many URLs it was made for. */
  readonly expects: number
  readonly sums: Sums
}

const defaultShards = 8
const defaultExpects = 10_000_000

type Wanted = Pick<KnownQueueOptions, LastingOption | 'create'>

/**
 * Gives the settings of a queue, which are those wanted if there are none; null if it is not to be made. Throws
 * `invalid-option` if it has others than those wanted.
 */
export async function settle(redis: RedisClient, keys: QueueKeys, wanted: Wanted): Promise<QueueSettings | null> {
  const settled = await readOrMake(redis, keys, wanted)
  if (settled === null) return null
  const { shards, expects, sums } = settled
  const isBloom = sums.kind === 'bloom'
  if ((wanted.shards ?? shards) !== shards) throw unchangeable(`${shards} shards, which`, 'shards')
  if ((wanted.expects ?? expects) !== expects) throw unchangeable(`room for ${expects} URLs, which`, 'expects')
  if ((wanted.bloom ?? isBloom) !== isBloom) throw unchangeable(`${isBloom ? 'a' : 'no'} Bloom filter, which`, 'bloom')
  return settled
}

function unchangeable(what: string, option: LastingOption): RetrievalError {
  const message = `This queue has ${what} cannot be changed: leave \`${option}\` out.`
  return new RetrievalError('invalid-option', message, { phase: 'resolve' })
}

async function readOrMake(redis: RedisClient, { settings }: QueueKeys, wanted: Wanted): Promise<QueueSettings | null> {
  const { shards = defaultShards, expects = defaultExpects, bloom = false, create } = wanted
  const there = await redis.hgetall(settings)
  // Who makes a queue writes one of them after the other.
  if (there.shards !== undefined && there.sums !== undefined) return checked(there, settings)
  if (!create) return null
  const sums = sumsFor(expects, shards, bloom)
  await redis.hsetnx(settings, 'shards', shards)
  await redis.hsetnx(settings, 'expects', expects)
  await redis.hsetnx(settings, 'sums', formatSums(sums))
  return checked(await redis.hgetall(settings), settings)
}

/** Throws `protocol-violation` for what no queue has: URLs would be lost in shards that are none. */
function checked(there: Record<string, string>, key: string): QueueSettings {
  const [shards, expects, sums] = [Number(there.shards), Number(there.expects), readSums(there.sums ?? '')]
  const isWhole = Number.isInteger(shards) && Number.isInteger(expects)
  if (isWhole && shards >= 1 && shards <= 1024 && sums !== null) return { shards, expects, sums }
  const message = `The key ${key} in Redis has no settings of a queue; another program has written it. Remove it.`
  throw new RetrievalError('protocol-violation', message, { phase: 'resolve' })
}
