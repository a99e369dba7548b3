import { createHash } from 'node:crypto'

/** A script for Redis. */
export interface Script {
  readonly text: string
  /** Its SHA-1 in hexadecimal digits, by which Redis knows it. */
  readonly sum: string
}

export function script(text: string): Script {
  return { text, sum: createHash('sha1').update(text).digest('hex') }
}

/**
 * A script that only the owner of a turn may run: it gives -1 and does nothing if the turn's lock is not the caller's,
 * and lengthens the lock. KEYS: the lock, the shard's base. ARGV: the lock's token, its milliseconds, the turn.
 */
export function fenced(text: string): Script {
  return script(`
if redis.call('GET', KEYS[1]) ~= ARGV[1] then return -1 end
redis.call('SET', KEYS[1], ARGV[1], 'PX', ARGV[2])
local base, turn = KEYS[2], ARGV[3]
${text}`)
}
