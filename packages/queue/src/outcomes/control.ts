import { namesOfSums, type Sums } from '../frontier/sums.ts'
import type { Shard } from '../redis/shard.ts'
import { cancelTurns } from '../scripts/outcomes.ts'
import { pagesOf } from './failures.ts'

/** How many hosts one script cancels. */
const atOnce = 100

export async function pauseAll(shards: readonly Shard[], isPaused: boolean): Promise<void> {
  await Promise.all(shards.map(({ bull }) => (isPaused ? bull.pause() : bull.resume())))
}

/** Drops the URLs of all hosts. Resolves to their number. */
export async function cancelAll(shards: readonly Shard[]): Promise<number> {
  let count = 0
  for (const shard of shards) {
    for (;;) {
      const turns = await shard.redis.srandmember(`${shard.keys.base}o`, atOnce)
      if (turns === null || turns.length === 0) break
      count += Number(await shard.run(cancelTurns, shard.keys.queue, ...turns))
    }
  }
  return count
}

/** How many keys one command removes. */
const keysAtOnce = 500

/** Removes all keys of shards but for those that expire within a day. */
export async function removeAll(shards: readonly Shard[], sums: Sums): Promise<void> {
  await cancelAll(shards)
  for (const shard of shards) {
    const { base } = shard.keys
    for await (const records of pagesOf(shard)) {
      await shard.redis.unlink(...records.map(({ turn }) => `${base}g:${turn}`))
    }
    await shard.bull.obliterate({ force: true })
    const names = ['c', 'o', 'f', 'l', ...namesOfSums(sums)]
    for (let at = 0; at < names.length; at += keysAtOnce) {
      await shard.redis.unlink(...names.slice(at, at + keysAtOnce).map((name) => base + name))
    }
  }
}
