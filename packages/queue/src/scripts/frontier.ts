/**
 * What fills and empties a host's list. The names behind the shard's base:
 *
 * - `c` a hash of counts: added, done, failed, again, cancelled, blocks
 * - `o` a set of the turns that have URLs
 * - `u:TURN` a list of the blocks that wait
 * - `t:TURN` a hash of the blocks that a worker has taken, by number; `k:NUMBER` has a bit for each URL that is over
 * - `h:TURN` a hash: `next`, the time before which the host is left alone, and `troubles`, failed turns in a row
 * - `d:BUCKET` a hash whose fields are the sums of URLs that were added; or `b:BITMAP`, a part of their Bloom filter
 * - `f` a stream of failures; `g:TURN` a list of the blocks of hosts that were given up
 * - `l` a hash: how many URLs of each turn came by links, if that is limited
 * - `r:ORIGIN` the robots.txt of a server, for a day
 * - `a:ADDER` the number of the last block that somebody added
 *
 * Octets 3 and 4 of a block are the number of its URLs (frontier/block.ts).
 */
import type { Sums } from '../frontier/sums.ts'
import { fenced, type Script, script } from './script.ts'
import { noting } from './sums.ts'

/**
 * Adds a block, unless URLs of it were added before. KEYS: base. ARGV: turn, its job's key, the size of the sums,
 * adder, number of the adder's block, block, its URLs' sums of 16 octets each, the most URLs that the turn may get in
 * this way (0: any number). Gives [1, whether the turn has a job]; or changes nothing, and gives [0, the indexes of the
 * URLs that were added before, two octets each], or [2, how many it may still get].
 */
const adding = (kind: Sums['kind']): Script =>
  script(`
local base, turn, adder = KEYS[1], ARGV[1], KEYS[1] .. 'a:' .. ARGV[4]
-- A command is sent again if the connection broke before its answer.
if redis.call('GET', adder) == ARGV[5] then return { 1, redis.call('EXISTS', ARGV[2]) } end
${noting[kind]}
local sums, known = ARGV[7], {}
for at = 1, #sums, 16 do
  if not isNew(string.sub(sums, at, at + 15)) then known[#known + 1] = struct.pack('>H', (at - 1) / 16) end
end
if #known > 0 then
  forget()
  return { 0, table.concat(known) }
end
local count = #sums / 16
local most = tonumber(ARGV[8])
if most > 0 then
  local room = math.max(0, most - tonumber(redis.call('HGET', base .. 'l', turn) or '0'))
  if room < count then
    forget()
    return { 2, room }
  end
  redis.call('HINCRBY', base .. 'l', turn, count)
end
redis.call('RPUSH', base .. 'u:' .. turn, ARGV[6])
redis.call('SADD', base .. 'o', turn)
redis.call('HINCRBY', base .. 'c', 'added', count)
redis.call('SET', adder, ARGV[5], 'EX', 3600)
return { 1, redis.call('EXISTS', ARGV[2]) }
`)

export const addBlock: Readonly<Record<Sums['kind'], Script>> = { exact: adding('exact'), bloom: adding('bloom') }

/** Opens a turn. Gives next, troubles, and for each block taken before its number, the block and its bits. */
export const openTurn: Script = fenced(`
local host = redis.call('HMGET', base .. 'h:' .. turn, 'next', 'troubles')
local found = { host[1] or '0', host[2] or '0' }
local taken = redis.call('HGETALL', base .. 't:' .. turn)
for at = 1, #taken, 2 do
  found[#found + 1] = taken[at]
  found[#found + 1] = taken[at + 1]
  found[#found + 1] = redis.call('GET', base .. 'k:' .. taken[at]) or ''
end
return found
`)

/**
 * Takes the next block of a host. ARGV[4]: the queue's name. Gives its number and the block; [] if
 * there is none, or the queue is paused.
 */
export const takeBlock: Script = fenced(`
local queue = base .. ARGV[4]
if redis.call('HEXISTS', queue .. ':meta', 'paused') == 1 then return {} end
local block = redis.call('LPOP', base .. 'u:' .. turn)
if not block then return {} end
local number = redis.call('HINCRBY', base .. 'c', 'blocks', 1)
redis.call('HSET', base .. 't:' .. turn, number, block)
return { tostring(number), block }
`)

/** How many turns of a shard wait for a worker. KEYS: base. ARGV: the queue's name, the time. */
export const countWaiting: Script = script(`
local queue = KEYS[1] .. ARGV[1]
-- BullMQ moves those whose time has come to the others when a worker is free; it keeps 12 bits behind their time.
local due = redis.call('ZCOUNT', queue .. ':delayed', 0, tonumber(ARGV[2]) * 4096)
return redis.call('LLEN', queue .. ':wait') + due
`)

/** Only lengthens the lock. */
export const holdTurn: Script = fenced('return 1')

/**
 * Closes a turn. ARGV: next and troubles of the host. Gives how many blocks are left: with 0, the host has no URLs, and
 * its job may end.
 */
export const leaveTurn: Script = fenced(`
local host = base .. 'h:' .. turn
if ARGV[4] == '0' and ARGV[5] == '0' then
  redis.call('DEL', host)
else
  redis.call('HSET', host, 'next', ARGV[4], 'troubles', ARGV[5])
  if ARGV[5] == '0' then redis.call('PEXPIREAT', host, ARGV[4]) else redis.call('PEXPIRE', host, 86400000) end
end
local left = redis.call('LLEN', base .. 'u:' .. turn) + redis.call('HLEN', base .. 't:' .. turn)
if left == 0 then redis.call('SREM', base .. 'o', turn) end
return left
`)

/**
 * Turns that have URLs, and no job: somebody ended between two commands. KEYS: base. ARGV: queue, cursor, how many to
 * look at. Gives the next cursor and the turns.
 */
export const findLost: Script = script(`
local scanned = redis.call('SSCAN', KEYS[1] .. 'o', ARGV[2], 'COUNT', ARGV[3])
local lost = {}
for _, turn in ipairs(scanned[2]) do
  if redis.call('EXISTS', KEYS[1] .. ARGV[1] .. ':' .. turn) == 0 then lost[#lost + 1] = turn end
end
return { scanned[1], lost }
`)
