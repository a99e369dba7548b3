import { type Stats, statSync } from 'node:fs'
import { resolve as absolute } from 'node:path'
import { usageError } from '../exit-codes.ts'
import type { Destination } from '../saving/destination.ts'

/** Those of RFC 9110 5.6.7 and ISO 8601: nobody calls a file so and means the file. */
const exactDate = /^(?:\d{4}-\d\d-\d\d(?:[T ].*)?|(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*,? .*)$/i
/** Date.parse takes `backup-3` for March of 2001. */
const looseDate = /^(?:\d|(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*[ ,])/i

/**
 * A date, or else when a file was last written to; null for one that is yet to be made, as in `-z list -o list` for the first time. A
 * date without a time zone means what Date.parse says it does. Throws `invalid-option`.
 */
export function readTime(text: string, destinations: readonly Destination[]): Date | null {
  if (text.startsWith('-')) {
    throw usageError(`--time-cond cannot ask for what is older than a date; for a file of that name write ./${text}.`)
  }
  const date = new Date(text)
  const isDate = !Number.isNaN(date.getTime())
  if (isDate && exactDate.test(text)) return date
  const file = statusOf(text)
  if (file?.isFile()) return file.mtime
  if (file === undefined && destinations.some((each) => each.to === 'file' && isSamePath(each.path, text))) return null
  if (isDate && looseDate.test(text)) return date
  const expected = 'a date such as 2001-02-03 or "Sat, 03 Feb 2001 04:05:06 GMT", or a file that exists'
  throw usageError(`--time-cond needs ${expected}; not ${JSON.stringify(text)}.`)
}

function isSamePath(one: string, other: string): boolean {
  return absolute(one) === absolute(other)
}

function statusOf(path: string): Stats | undefined {
  try {
    return statSync(path)
  } catch {
    return undefined
  }
}
