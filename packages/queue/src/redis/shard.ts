import { Queue as BullQueue } from 'bullmq'
import type { Script } from '../scripts/script.ts'
import type { RedisClient } from './connection.ts'
import type { ShardKeys } from './keys.ts'

/** One of the queues of BullMQ, with the lists of the URLs beside it. */
export class Shard {
  readonly keys: ShardKeys
  readonly redis: RedisClient
  readonly bull: BullQueue

  constructor(redis: RedisClient, keys: ShardKeys) {
    this.redis = redis
    this.keys = keys
    // Nobody reads the events of a queue by default; 10,000 of them would take a megabyte a shard.
    const streams = { events: { maxLen: 100 } }
    this.bull = new BullQueue(keys.queue, { connection: redis, prefix: keys.prefix, streams })
    this.bull.on('error', () => {})
  }

  /** Runs a script of one key, the shard's base. Its strings come as buffers. */
  run(script: Script, ...args: readonly (string | number | Buffer)[]): Promise<unknown> {
    return this.runWith(script, [this.keys.base], ...args)
  }

  async runWith(
    { text, sum }: Script,
    keys: readonly string[],
    ...args: readonly (string | number | Buffer)[]
  ): Promise<unknown> {
    try {
      return await this.redis.callBuffer('EVALSHA', sum, keys.length, ...keys, ...args)
    } catch (error) {
      if (!(error instanceof Error) || !error.message.startsWith('NOSCRIPT')) throw error
      return await this.redis.callBuffer('EVAL', text, keys.length, ...keys, ...args)
    }
  }

  /** Gives hosts a turn. One that has a turn already keeps it. */
  async addTurns(turns: readonly string[]): Promise<void> {
    if (turns.length === 0) return
    // Workers remove turns that are over. With more options, Redis would take twice as much for each.
    await this.bull.addBulk(turns.map((jobId) => ({ name: 'turn', data: null, opts: { jobId } })))
  }

  async close(): Promise<void> {
    await this.bull.close()
  }
}
