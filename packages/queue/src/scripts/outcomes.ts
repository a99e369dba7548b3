/** What records outcomes, and what is done with failures. scripts/frontier.ts lists the names. */
import { fenced, type Script, script } from './script.ts'

/**
 * Records outcomes of URLs of a block, each once. ARGV: the block's number; the indexes of URLs that are done, that
 * failed for good and that failed for now, two octets each; a block of the latter, and the failures as JSON. Gives 1; 0
 * if all of the block's URLs were recorded.
 */
export const recordOutcomes: Script = fenced(`
local taken, number = base .. 't:' .. turn, ARGV[4]
local bits, counts = base .. 'k:' .. number, base .. 'c'
local block = redis.call('HGET', taken, number)
if not block then return 0 end
local function mark(indexes, name, use)
  local fresh = 0
  for at = 1, #indexes, 2 do
    if redis.call('SETBIT', bits, struct.unpack('>H', indexes, at), 1) == 0 then
      fresh = fresh + 1
      if use then use((at + 1) / 2) end
    end
  end
  if fresh > 0 then redis.call('HINCRBY', counts, name, fresh) end
  return fresh
end
mark(ARGV[5], 'done')
mark(ARGV[6], 'failed', function (at) redis.call('XADD', base .. 'f', '*', 'failure', ARGV[8 + at], 'turn', turn) end)
if mark(ARGV[7], 'again') > 0 then redis.call('RPUSH', base .. 'u:' .. turn, ARGV[8]) end
if redis.call('BITCOUNT', bits) >= struct.unpack('>H', block, 3) then
  redis.call('HDEL', taken, number)
  redis.call('DEL', bits)
end
return 1
`)

/** Lets all URLs fail that wait for a host. ARGV[4]: the failure as JSON. Gives their number. */
export const giveUpHost: Script = fenced(`
local total = 0
while true do
  local block = redis.call('LPOP', base .. 'u:' .. turn)
  if not block then break end
  total = total + struct.unpack('>H', block, 3)
  redis.call('RPUSH', base .. 'g:' .. turn, block)
end
if total > 0 then
  redis.call('HINCRBY', base .. 'c', 'failed', total)
  redis.call('XADD', base .. 'f', '*', 'failure', ARGV[4], 'turn', turn)
end
return total
`)

/**
 * Gives failed URLs back to their host. KEYS: base. ARGV: turn, a block of them, and the identifiers of their failures
 * in the stream. Gives their number; 0 if somebody else has given one back.
 */
export const retryUrls: Script = script(`
local base, count = KEYS[1], #ARGV - 2
for at = 3, #ARGV do
  if #redis.call('XRANGE', base .. 'f', ARGV[at], ARGV[at]) == 0 then return 0 end
end
for at = 3, #ARGV do redis.call('XDEL', base .. 'f', ARGV[at]) end
redis.call('RPUSH', base .. 'u:' .. ARGV[1], ARGV[2])
redis.call('SADD', base .. 'o', ARGV[1])
redis.call('HINCRBY', base .. 'c', 'failed', -count)
return count
`)

/** As retryUrls, for a host that was given up. ARGV: turn, the identifier of its failure. */
export const retryHost: Script = script(`
local base, turn, total = KEYS[1], ARGV[1], 0
redis.call('XDEL', base .. 'f', ARGV[2])
while true do
  local block = redis.call('LPOP', base .. 'g:' .. turn)
  if not block then break end
  total = total + struct.unpack('>H', block, 3)
  -- Octet 2 is the number of tries.
  redis.call('RPUSH', base .. 'u:' .. turn, string.sub(block, 1, 1) .. '\\0' .. string.sub(block, 3))
end
redis.call('DEL', base .. 'h:' .. turn)
if total > 0 then redis.call('SADD', base .. 'o', turn) end
redis.call('HINCRBY', base .. 'c', 'failed', -total)
return total
`)

/**
 * Drops the URLs of hosts, and takes their locks away: who works on one loses its turn. KEYS: base. ARGV: queue, turns.
 * Gives the number of URLs.
 */
export const cancelTurns: Script = script(`
local base, total = KEYS[1], 0
for at = 2, #ARGV do
  local turn = ARGV[at]
  local taken = redis.call('HGETALL', base .. 't:' .. turn)
  for each = 1, #taken, 2 do
    local bits = base .. 'k:' .. taken[each]
    total = total + struct.unpack('>H', taken[each + 1], 3) - redis.call('BITCOUNT', bits)
    redis.call('DEL', bits)
  end
  while true do
    local block = redis.call('LPOP', base .. 'u:' .. turn)
    if not block then break end
    total = total + struct.unpack('>H', block, 3)
  end
  redis.call('DEL', base .. 't:' .. turn, base .. ARGV[1] .. ':' .. turn .. ':lock')
  redis.call('SREM', base .. 'o', turn)
end
if total > 0 then redis.call('HINCRBY', base .. 'c', 'cancelled', total) end
return total
`)
