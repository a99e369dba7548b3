import type { Stats } from 'node:fs'
import type { WalkedEntry } from '../walk/walked-entry.ts'

const second = 1000
const day = 24 * 3600 * second
/** The precisions of dates in listings: seconds, minutes, and days for files of past years. */
const precisions = [second, 60 * second, day]
/** Time zones differ from UTC by multiples of this, and by less than 15 hours. */
const zoneStep = 15 * 60 * second
const farthestZone = 15 * 3600 * second
/** Two clocks may differ by this much, as in HTTP's rule for dates (RFC 7232 2.2.2). */
const skew = 60 * second

/**
 * Compares an entry with the local file that an earlier run saved. `ask` means that only the server knows, by a
 * conditional request. A saved file has the date that the server gave.
 */
export function compare(entry: WalkedEntry, file: Stats | null): 'new' | 'unchanged' | 'ask' {
  if (file === null) return 'new'
  // The number of an article is never reused (RFC 3977 6).
  if (entry.kind === 'article') return 'unchanged'
  const { size, modified } = entry
  if (isRacy(file)) return 'new'
  if (modified !== undefined && isNewerThan(file, modified.getTime())) return 'new'
  if (size === undefined) return 'ask'
  if (size !== file.size) return 'new'
  return modified !== undefined && isDateOf(file, modified.getTime()) ? 'unchanged' : 'ask'
}

/**
 * Whether the server's file may have changed again within the second of its date, after we retrieved it. Neither a
 * listing nor an answer to If-Modified-Since shows such a change. git has the same rule for its index ("racily clean").
 * The local file is created when its first octets arrive.
 */
function isRacy(file: Stats): boolean {
  const since = file.birthtimeMs > 0 ? Math.min(file.birthtimeMs, file.ctimeMs) : file.ctimeMs
  return since < file.mtimeMs + second + skew
}

/**
 * Whether the date in a listing is that of the local file. `ls` leaves out seconds or the time of day. The file must
 * then have been written after that minute or day was over, since the server's file may have changed again within it.
 * Dates in other time zones never fit, so the server is asked.
 */
function isDateOf(file: Stats, listed: number): boolean {
  return precisions.some((precision) => {
    const begin = Math.floor(file.mtimeMs / precision) * precision
    if (Math.floor(listed / second) * second !== begin) return false
    return precision === second || file.ctimeMs >= begin + precision
  })
}

/**
 * Whether the local file is certainly newer than the date in a listing. Then the server's file is an older version, or
 * another program has written the local one. The server would say that its file has not changed since, so it is not
 * asked. A difference that a time zone explains proves nothing.
 */
function isNewerThan(file: Stats, listed: number): boolean {
  const precision = [day, 60 * second].find((each) => listed % each === 0) ?? second
  const difference = Math.floor(file.mtimeMs / precision) * precision - listed
  if (difference <= 0) return false
  return difference > farthestZone + precision || difference % zoneStep !== 0
}
