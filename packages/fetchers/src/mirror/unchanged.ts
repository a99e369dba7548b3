import type { Stats } from 'node:fs'
import type { WalkedEntry } from '../walk/walked-entry.ts'

const second = 1000
const day = 24 * 3600 * second
/** The precisions of the dates in listings: seconds, minutes, and days for files of past years. */
const precisions = [second, 60 * second, day]
/** Time zones differ by multiples of this from UTC, and by less than 15 hours. */
const zoneStep = 15 * 60 * second
const farthestZone = 15 * 3600 * second
/** Two clocks may differ by this, as in the rule for dates of HTTP (RFC 7232 2.2.2). */
const skew = 60 * second

/**
 * Compares an entry with the local file that an earlier run has saved. `ask`: only the server knows, by a conditional
 * request. A saved file has the date that the server gave with it.
 */
export function compare(entry: WalkedEntry, file: Stats | null): 'new' | 'unchanged' | 'ask' {
  if (file === null) return 'new'
  // The number of an article is never used for another one (RFC 3977 6).
  if (entry.kind === 'article') return 'unchanged'
  const { size, modified } = entry
  if (isRacy(file)) return 'new'
  if (modified !== undefined && isNewerThan(file, modified.getTime())) return 'new'
  if (size === undefined) return 'ask'
  if (size !== file.size) return 'new'
  return modified !== undefined && isDateOf(file, modified.getTime()) ? 'unchanged' : 'ask'
}

/**
 * Whether the server's file may have changed once more within the second of its date, after it was retrieved: then
 * neither a listing nor an answer to If-Modified-Since tells. git has the same rule for its index ("racily clean"). The
 * local file is made when its first octets come.
 */
function isRacy(file: Stats): boolean {
  const since = file.birthtimeMs > 0 ? Math.min(file.birthtimeMs, file.ctimeMs) : file.ctimeMs
  return since < file.mtimeMs + second + skew
}

/**
 * Whether the date in a listing is that of the file. `ls` leaves out seconds, or the time of day: then the file must
 * have been written after that minute or day had ended, since it may have changed once more within it. Dates in other
 * time zones fit none, and the server is asked.
 */
function isDateOf(file: Stats, listed: number): boolean {
  return precisions.some((precision) => {
    const begin = Math.floor(file.mtimeMs / precision) * precision
    if (Math.floor(listed / second) * second !== begin) return false
    return precision === second || file.ctimeMs >= begin + precision
  })
}

/**
 * Whether the local file is surely newer than the date in a listing: an older version has come back, or another program
 * has written the file. The server, when asked whether its file has changed since, would say no. A difference that a
 * time zone explains proves nothing.
 */
function isNewerThan(file: Stats, listed: number): boolean {
  const precision = [day, 60 * second].find((each) => listed % each === 0) ?? second
  const difference = Math.floor(file.mtimeMs / precision) * precision - listed
  if (difference <= 0) return false
  return difference > farthestZone + precision || difference % zoneStep !== 0
}
