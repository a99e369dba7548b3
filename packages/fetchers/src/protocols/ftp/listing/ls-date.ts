import { octetsToText } from '@retriever/core'
import { clock, fullYear, latestDate, monthNumber, utcDate } from '../../../kit/text/calendar.ts'

/**
 * A date in `ls -l`. Without a zone it is in the server's local time, which we do not know, so we read it as UTC: up to
 * a day off. MLSD has the exact date.
 */
export interface LsDate {
  /** How many words the date has. */
  readonly words: number
  /**
   * The date. Undefined if it does not exist (30 February), or if day and month cannot be distinguished (02-03-2001).
   */
  readonly modified: Date | undefined
  /** Whether the date ends with a day or a year, not with a time. */
  readonly isDay: boolean
}

type DateReader = (words: readonly string[], now: Date) => LsDate | undefined

/** Reads the date at the beginning of the words. Returns undefined if there is none. */
export function readLsDate(words: readonly string[], now: Date): LsDate | undefined {
  for (const read of readers) {
    const date = read(words, now)
    if (date !== undefined) return date
  }
  return undefined
}

/** Finds a date whose month is in another language: `15 lis 2001`. We know only where it stands. */
export function readForeignDate([first = '', second = '', third = '']: readonly string[]): LsDate | undefined {
  const hasMonth = [first, second].some((word) => /^[^\d]{3,}$/.test(word))
  const hasDay = [first, second].some((word) => dayNumber(word) !== undefined)
  const isYear = yearNumber(third) !== undefined
  if (!hasMonth || !hasDay || !(isYear || clock(third) !== undefined)) return undefined
  return { words: 3, modified: undefined, isDay: isYear }
}

const readers: readonly DateReader[] = [named, iso, isoRecent, numeric, hyphenated]

/**
 * Reads `Feb  3  2001`, `Feb  3 04:05`, `3 Feb 2001`, `26. Juli, 20:10`, `6月 3日 2003年`, and some dates that have both
 * year and time.
 */
function named([first = '', second = '', third = '', fourth = '']: readonly string[], now: Date): LsDate | undefined {
  const isMonthFirst = monthNumber(first) !== undefined
  const month = monthNumber(isMonthFirst ? first : second)
  const date = dayNumber(isMonthFirst ? second : first)
  if (month === undefined || date === undefined) return undefined
  const [year, time] = [yearNumber(third), clock(third)]
  const [laterYear, laterTime] = [yearNumber(fourth), clock(fourth)]
  // VShell writes `Oct 08, 2002 09:47`.
  if (year !== undefined && laterTime !== undefined && second.endsWith(',')) {
    return { words: 4, modified: utcDate(year, month, date, laterTime), isDay: false }
  }
  if (year !== undefined) return day(3, utcDate(year, month, date))
  if (time === undefined) return undefined
  // BSD's `ls -T` writes `Feb  3 04:05:06 2001`.
  if (laterYear !== undefined && hasSeconds(third)) return day(4, utcDate(laterYear, month, date, time))
  return { words: 3, modified: latestDate(month, date, time, now), isDay: false }
}

/**
 * Reads `2001-02-03 04:05`, `2001-02-03 04:05:06.000000000 +0100`, `2001/02/03 04:05`, `2001-02-03`: GNU's long-iso,
 * full-iso and iso.
 */
function iso([first = '', second = '', third = '']: readonly string[]): LsDate | undefined {
  const [, year, month, date] = /^(\d{4})([-/.]\d\d)([-/.]\d\d)$/.exec(first) ?? []
  if (year === undefined || month === undefined || date === undefined) return undefined
  const time = clock(second)
  const modified = utcDate(Number(year), Number(month.slice(1)), Number(date.slice(1)), time)
  if (time === undefined) return day(1, modified)
  const offset = hasSeconds(second) ? zone(third) : undefined
  if (offset === undefined) return { words: 2, modified, isDay: false }
  return { words: 3, modified: modified && new Date(modified.getTime() - offset), isDay: false }
}

function hasSeconds(time: string): boolean {
  return time.split(':').length === 3
}

/** Reads `+0100` as milliseconds east of UTC. */
function zone(text: string): number | undefined {
  const [, sign, hours, minutes] = /^([-+])(\d\d)(\d\d)$/.exec(text) ?? []
  return sign === undefined ? undefined : (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000
}

/** Reads `02-03 04:05`: GNU's iso for recent months. */
function isoRecent([first = '', second = '']: readonly string[], now: Date): LsDate | undefined {
  const [, month, date] = /^(\d\d)-(\d\d)$/.exec(first) ?? []
  const time = clock(second)
  if (month === undefined || date === undefined || time === undefined) return undefined
  return { words: 2, modified: latestDate(Number(month), Number(date), time, now), isDay: false }
}

/** Reads `24-04-2003 17:12`. Day and month can be distinguished only if one of them is over 12. */
function numeric([first = '', second = '']: readonly string[]): LsDate | undefined {
  const [, one, other, year] = /^(\d\d)[-/.](\d\d)[-/.](\d{4})$/.exec(first) ?? []
  if (one === undefined || other === undefined || year === undefined) return undefined
  const [low = 0, high = 0] = [Number(one), Number(other)].sort((a, b) => a - b)
  const time = clock(second)
  const modified = high > 12 || high === low ? utcDate(Number(year), low, high, time) : undefined
  return time === undefined ? day(1, modified) : { words: 2, modified, isDay: false }
}

/** Reads `01-jun-99`. */
function hyphenated([first = '']: readonly string[]): LsDate | undefined {
  const [, date, month = '', year = ''] = /^(\d\d?)-([^-]{3,9})-(\d{4}|\d\d)$/.exec(first) ?? []
  const number = monthNumber(month)
  return number === undefined ? undefined : day(1, utcDate(fullYear(year), number, Number(date)))
}

function day(words: number, modified: Date | undefined): LsDate {
  return { words, modified, isDay: true }
}

function dayNumber(octets: string): number | undefined {
  const digits = /^(\d\d?)[.,日일]?$/.exec(octetsToText(octets))?.[1]
  return digits === undefined ? undefined : Number(digits)
}

function yearNumber(octets: string): number | undefined {
  const digits = /^(\d{4})[年년]?$/.exec(octetsToText(octets))?.[1]
  return digits === undefined ? undefined : Number(digits)
}
