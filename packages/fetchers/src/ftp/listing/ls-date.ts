import { octetsToText } from '@retriever/core'
import { clock, fullYear, latestDate, monthNumber, utcDate } from '../../plugin/calendar.ts'

/**
 * A date in `ls -l`. Where it has no zone it is the server's local time, whose zone nobody tells; taken as UTC, so up to a day off. MLSD
 * has the exact one.
 */
export interface LsDate {
  /** Of how many words it is made. */
  readonly words: number
  /** Undefined where it is no date (30 February), or where nobody can say which one (02-03-2001). */
  readonly modified: Date | undefined
  /** Ends with a day or a year, and not with a time. */
  readonly isDay: boolean
}

type DateReader = (words: readonly string[], now: Date) => LsDate | undefined

/** The date that begins the words, or undefined where none does. */
export function readLsDate(words: readonly string[], now: Date): LsDate | undefined {
  for (const read of readers) {
    const date = read(words, now)
    if (date !== undefined) return date
  }
  return undefined
}

/** A date whose month is in a language that we do not know: `15 lis 2001`. Only its place is learnt. */
export function readForeignDate([first = '', second = '', third = '']: readonly string[]): LsDate | undefined {
  const hasMonth = [first, second].some((word) => /^[^\d]{3,}$/.test(word))
  const hasDay = [first, second].some((word) => dayNumber(word) !== undefined)
  const isYear = yearNumber(third) !== undefined
  if (!hasMonth || !hasDay || !(isYear || clock(third) !== undefined)) return undefined
  return { words: 3, modified: undefined, isDay: isYear }
}

const readers: readonly DateReader[] = [named, iso, isoRecent, numeric, hyphenated]

/** `Feb  3  2001`, `Feb  3 04:05`, `3 Feb 2001`, `26. Juli, 20:10`, `6月 3日 2003年`, and some that have both year and time. */
function named([first = '', second = '', third = '', fourth = '']: readonly string[], now: Date): LsDate | undefined {
  const isMonthFirst = monthNumber(first) !== undefined
  const month = monthNumber(isMonthFirst ? first : second)
  const date = dayNumber(isMonthFirst ? second : first)
  if (month === undefined || date === undefined) return undefined
  const [year, time] = [yearNumber(third), clock(third)]
  const [laterYear, laterTime] = [yearNumber(fourth), clock(fourth)]
  const shortYear = isMonthFirst && /^\d\d$/.test(third)
  if (laterTime !== undefined && (second.endsWith(',') ? year !== undefined : shortYear)) {
    // `Oct 08, 2002 09:47` of VShell, `Jun 17 93 12:22` of an old NetWare. `27 Jun 17 12:22` is a size, and 17 June.
    return { words: 4, modified: utcDate(year ?? fullYear(third), month, date, laterTime), isDay: false }
  }
  if (year !== undefined) return day(3, utcDate(year, month, date))
  if (time === undefined) return undefined
  // `Feb  3 04:05:06 2001`: `ls -T` of BSD.
  if (laterYear !== undefined && hasSeconds(third)) return day(4, utcDate(laterYear, month, date, time))
  return { words: 3, modified: latestDate(month, date, time, now), isDay: false }
}

/** `2001-02-03 04:05`, `2001-02-03 04:05:06.000000000 +0100`, `2001/02/03 04:05`, `2001-02-03`: GNU's long-iso, full-iso and iso. */
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

/** `+0100`, as milliseconds east of UTC. */
function zone(text: string): number | undefined {
  const [, sign, hours, minutes] = /^([-+])(\d\d)(\d\d)$/.exec(text) ?? []
  return sign === undefined ? undefined : (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000
}

/** `02-03 04:05`: GNU's iso for the last months. */
function isoRecent([first = '', second = '']: readonly string[], now: Date): LsDate | undefined {
  const [, month, date] = /^(\d\d)-(\d\d)$/.exec(first) ?? []
  const time = clock(second)
  if (month === undefined || date === undefined || time === undefined) return undefined
  return { words: 2, modified: latestDate(Number(month), Number(date), time, now), isDay: false }
}

/** `24-04-2003 17:12`. Whether the day is first or the month is known only where one of them is over 12. */
function numeric([first = '', second = '']: readonly string[]): LsDate | undefined {
  const [, one, other, year] = /^(\d\d)[-/.](\d\d)[-/.](\d{4})$/.exec(first) ?? []
  if (one === undefined || other === undefined || year === undefined) return undefined
  const [low = 0, high = 0] = [Number(one), Number(other)].sort((a, b) => a - b)
  const time = clock(second)
  const modified = high > 12 || high === low ? utcDate(Number(year), low, high, time) : undefined
  return time === undefined ? day(1, modified) : { words: 2, modified, isDay: false }
}

/** `01-jun-99`. */
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
