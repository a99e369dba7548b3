import { head } from './line-words.ts'
import { readDos, readOs2 } from './list-dos.ts'
import { readEplf } from './list-eplf.ts'
import { readUnix } from './list-unix.ts'
import { readVms } from './list-vms.ts'
import type { LineReader, LineReading } from './listed-file.ts'

/** Each knows its own by its shape; none takes a line of another. */
const readers: readonly LineReader[] = [readUnix, readEplf, readDos, readVms, readOs2, readRemark]

/**
 * One line of LIST, which RFC 959 leaves to the server. Each line is judged by itself, so that one strange line does not decide for the
 * rest. `now` tells the year of dates that have none.
 */
export function readListLine(line: string, now: Date): LineReading {
  for (const read of readers) {
    const reading = read(line, now)
    if (reading === undefined) continue
    return typeof reading === 'object' && reading.name === '' ? 'unknown' : reading
  }
  return 'unknown'
}

/** `total 12` of ls; `ls: x: Permission denied`, `%DIRECT-W-NOFILES, no files found` instead of an entry. */
function readRemark(line: string): LineReading | undefined {
  const text = head(line)
  if (/^total:? [\d.,]+[KMGT]?[ \t]*$/i.test(text)) return 'skip'
  return /^(?:[^ \t]*\/)?(?:ls|ftpd[\w-]*): |^[^ \t]*[ \t]*<?%[A-Z]+-[SIWEF]-[A-Z]+, /.test(text)
    ? 'message'
    : undefined
}
