import { knownCharset, type RetrieveOptions } from '@retriever/fetchers'
import { usageError } from './exit-codes.ts'
import { readHeaders, readWish } from './options/headers.ts'
import { readLimit, readRange, readSplit } from './options/numbers.ts'
import { readTime } from './options/read-time.ts'
import type { CommandLine } from './parse.ts'
import type { Destination } from './saving/destination.ts'

/** Where a body is to begin: at an octet, or where the output file ends. */
export type ContinueAt = number | 'end'

/** What is asked of every retrieval. Throws `invalid-option`. */
export function readRequest(
  line: CommandLine,
  destinations: readonly Destination[],
  etag: string | null,
): RetrieveOptions {
  const base = line.value('base')
  const accept = readWish(line, 'accept')
  const acceptLanguage = readWish(line, 'accept-language')
  const range = line.value('range')
  const time = line.value('time-cond')
  const split = line.value('split')
  const limit = line.value('limit')
  const charset = readCharset(line)
  const headers = readHeaders(line)
  const since = time === undefined ? null : readTime(time, destinations)
  return {
    ...(base !== undefined && { base }),
    ...(accept !== undefined && { accept }),
    ...(acceptLanguage !== undefined && { acceptLanguage }),
    ...(range !== undefined && { range: readRange(range) }),
    ...(line.has('compressed') && { compressed: true }),
    ...(since !== null && { ifChangedSince: since }),
    ...(etag !== null && { ifNoneMatch: etag }),
    ...(split !== undefined && { split: readSplit(split) }),
    ...(limit !== undefined && { limit: readLimit(limit) }),
    ...(charset !== null && { charset }),
    ...(line.has('head') && { head: true }),
    ...(line.has('no-fail') && { fail: false }),
    ...(Object.keys(headers).length > 0 && { headers }),
  }
}

function readCharset(line: CommandLine): string | null {
  const name = line.value('charset')
  if (name === undefined || knownCharset(name) !== null) return name ?? null
  throw usageError(
    `--charset needs the name of a charset, such as windows-1252 or koi8-r; not ${JSON.stringify(name)}.`,
  )
}

/** -C; null where the body is to begin at its beginning. Throws `invalid-option`. */
export function readContinueAt(line: CommandLine, destinations: readonly Destination[]): ContinueAt | null {
  const text = line.value('continue-at')
  if (text === undefined) return null
  if (line.has('range')) throw usageError('-C and -r both say where to begin: give one of them.')
  if (text === '-') {
    if (destinations.every(({ to }) => to !== 'stdout')) return 'end'
    throw usageError('-C - goes on where a file ends: name it by -o FILE or -O.')
  }
  if (!/^\d{1,15}$/.test(text)) {
    throw usageError(`--continue-at needs a number of octets, or - for those of the file; not ${JSON.stringify(text)}.`)
  }
  return Number(text) || null
}
