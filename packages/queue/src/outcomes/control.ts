import type { Shard } from '../redis/shard.ts'
import { cancelTurns } from '../scripts/outcomes.ts'

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
