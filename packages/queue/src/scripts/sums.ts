/**
 * The beginning of a script that adds URLs: `isNew` notes the sum of a URL, and says whether it was not noted before;
 * `forget` undoes all that was noted. The script has the local `base`, and the size of frontier/sums.ts in ARGV[3].
 */
import type { Sums } from '../frontier/sums.ts'

/** The octets of a sum that are all the same in a hash are left out of its fields. */
const exact = `
local bits, noted = tonumber(ARGV[3]), {}
local first, width = math.floor(bits / 8), 2 ^ (16 - bits)
local function isNew(sum)
  local high, low = string.byte(sum, 1, 2)
  local bucket = base .. 'd:' .. math.floor((high * 256 + low) / width)
  local field = string.sub(sum, first + 1)
  if redis.call('HSETNX', bucket, field, '') == 0 then return false end
  noted[#noted + 1] = { bucket, field }
  return true
end
local function forget()
  for _, each in ipairs(noted) do redis.call('HDEL', each[1], each[2]) end
end
`

/**
 * Three octets of a sum choose a bitmap, and two octets each seven of its bits. A bitmap has 8,186 octets, with which
 * Redis fills a block of memory of 8 KiB; its last bit is written, and stays 0, so that it is made in this size.
 */
const bloom = `
local count, noted = tonumber(ARGV[3]), {}
local function isNew(sum)
  local high, middle, low = string.byte(sum, 1, 3)
  local bitmap = base .. 'b:' .. math.floor(((high * 256 + middle) * 256 + low) * count / 16777216)
  local command, places = { 'BITFIELD', bitmap }, { struct.unpack('>HHHHHHH', sum, 3) }
  for at = 1, 7 do
    places[at] = places[at] % 65487
    for _, word in ipairs({ 'SET', 'u1', places[at], 1 }) do command[#command + 1] = word end
  end
  for _, word in ipairs({ 'SET', 'u1', 65487, 0 }) do command[#command + 1] = word end
  local before, result = redis.call(unpack(command)), false
  for at = 1, 7 do
    if before[at] == 0 then
      noted[#noted + 1] = { bitmap, places[at] }
      result = true
    end
  end
  return result
end
local function forget()
  for _, each in ipairs(noted) do redis.call('SETBIT', each[1], each[2], 0) end
end
`

export const noting: Readonly<Record<Sums['kind'], string>> = { exact, bloom }
