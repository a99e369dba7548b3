import type { Entry } from '../../../contract/fetcher.ts'
import { clock, monthNumber, utcDate } from '../../../kit/text/calendar.ts'

/** Size and date, if a page shows them. */
export type Facts = Pick<Entry, 'size' | 'modified' | 'details'>

/** The text around a link as written, one octet a character. TABs separate cells. */
export interface Surroundings {
  /** The text of the row before the link, of the link after the name, and of the row after the link. */
  readonly before: string
  readonly within: string
  readonly after: string
  /** The numbers of attributes by which tables are sorted: `data-size="1234"`. */
  readonly numbers: readonly string[]
  /** The date of a `time` element: `2001-02-03T04:05:06Z`. */
  readonly time: string
}

/**
 * Reads size and date. Servers write them after the name (nginx, Apache), within the link (serve-index) or before it
 * (IIS).
 */
export function factsOf({ before, within, after, numbers, time }: Surroundings): Facts {
  let { size: shownSize, date } = readPlace(after, true)
  for (const other of [within, before]) {
    // Most pages have both after the link, and each place takes four regular expressions.
    if (shownSize !== null && date !== null) break
    const found = readPlace(other)
    shownSize ??= found.size
    date ??= found.date
  }
  const modified = (time === '' ? null : dateIn(time)?.date) ?? date
  const exact = exactSize(shownSize, numbers)
  return {
    ...(exact !== null && { size: exact }),
    ...(modified !== null && { modified }),
    ...(exact === null && shownSize !== null && !/^\d+$/.test(shownSize) && { details: { shownSize } }),
  }
}

interface Found {
  readonly size: string | null
  readonly date: Date | null
}

/** Matches `5`, `1,234 bytes`, `1.2M`, `12 KiB`, `8  B`. */
const size = String.raw`\d[\d.,]*(?: ?(?:[kmgtp]i?b?|bytes?|octets?)| {0,2}b)?`
// A number that begins a text, such as `25 years ago`, is no size.
const sizeFirst = new RegExp(`^\\s*(${size})(?= ?[\\t\\r\\n]| {2}|\\s*$)`, 'i')
const sizeLast = new RegExp(`(?:^|\\s)(${size})\\s*$`, 'i')
const sizeAlone = new RegExp(`^${size}$`, 'i')

/**
 * Reads the size beside the date, or a size that stands alone. A number without a unit may count anything unless it
 * stands alone.
 */
function readPlace(text: string, mayBeBare = false): Found {
  const plain = text.replace(/\xC2?\xA0|\xE2\x80\xAF/g, ' ')
  const found = dateIn(plain)
  if (found === null) return { date: null, size: loneSize(plain, mayBeBare) }
  const near = sizeFirst.exec(plain.slice(found.end)) ?? sizeLast.exec(plain.slice(0, found.start))
  return { date: found.date, size: near?.[1] ?? null }
}

function loneSize(text: string, mayBeBare: boolean): string | null {
  const cells = text.split('\t').map((cell) => cell.trim())
  const full = cells.filter((cell) => cell !== '')
  const isBare = mayBeBare && full.length === 1
  return full.find((cell) => sizeAlone.test(cell) && (isBare || /\D$/.test(cell))) ?? null
}

/** Returns the number of an attribute if it agrees with the size that is shown. */
function exactSize(shown: string | null, numbers: readonly string[]): number | null {
  const [, digits = ''] = /^(\d{1,3}(?:,\d{3})+|\d+)(?:\s*(b|bytes?|octets?))?$/i.exec(shown ?? '') ?? []
  const exact = digits === '' ? Number.NaN : Number(digits.replaceAll(',', ''))
  if (Number.isSafeInteger(exact)) return exact
  const agreeing = numbers.map(Number).find((number) => Number.isSafeInteger(number) && isAbout(number, shown))
  return agreeing ?? null
}

/** Whether `1.2 MiB` may stand for a number of octets, rounded up or down. */
function isAbout(octets: number, shown: string | null): boolean {
  const [, whole = '', fraction = '', prefix = ''] = /^(\d+)(?:[.,](\d+))? ?([kmgtp])i?b?$/i.exec(shown ?? '') ?? []
  if (whole === '') return false
  const power = 'kmgtp'.indexOf(prefix.toLowerCase()) + 1
  return [1000, 1024].some((base) => {
    const unit = base ** power
    return Math.abs(octets - Number(`${whole}.${fraction}`) * unit) <= (1.01 * unit) / 10 ** fraction.length
  })
}

const clockTime = String.raw`(?<hour>\d\d?):(?<minute>\d\d)(?::(?<second>\d\d)(?:\.\d{1,9})?)?(?: ?(?<half>[AP]M)\b)?`
const zone = String.raw`(?: ?(?<zone>Z|UTC|GMT|[+-]\d\d:?\d\d))?`
const time = `(?:[ T,]{1,4}${clockTime}${zone})`
const month = '(?<month>[A-Za-z]{3,9})'
const forms: readonly RegExp[] = [
  // 2001-02-03 04:05, 2001-Feb-03 04:05:06, 2001/02/03, 2001-02-03T04:05:06Z.
  String.raw`(?<year>\d{4})([-/])(?:(?<digits>\d\d?)|${month})\2(?<day>\d\d?)(?!\d)${time}?`,
  // 03-Feb-2001 04:05, 03Feb2001 04:05, Sat, 03 Feb 2001 04:05:06 GMT.
  String.raw`(?<day>\d\d?)[-/ ]?${month}[-/ ]?(?<year>\d{4})(?!\d)${time}?`,
  // Feb 3, 2001, 4:05:06 AM; Feb  3  2001.
  String.raw`${month} {1,2}(?<day>\d\d?)(?:, ?| {1,2})(?<year>\d{4})(?!\d)${time}?`,
  // 2/3/2001 4:05 AM.
  String.raw`(?<first>\d\d?)/(?<other>\d\d?)/(?<year>\d{4})(?!\d)${time}?`,
].map((form) => new RegExp(`(?<![\\d/-])(?:[A-Za-z]{3,9}, )?${form}`))

interface FoundDate {
  readonly start: number
  readonly end: number
  /** The date. Null if the text has the form of a date but is none: 30 February. */
  readonly date: Date | null
}

/** Finds the first date in a text. Returns null if there is none. */
export function dateIn(text: string): FoundDate | null {
  for (const form of forms) {
    const match = form.exec(text)
    if (match !== null) {
      return { start: match.index, end: match.index + match[0].length, date: instant(match.groups ?? {}) }
    }
  }
  return null
}

/** Returns the instant of a date; UTC if it has no zone. Null if the date does not exist, such as 30 February. */
function instant(groups: Readonly<Record<string, string | undefined>>): Date | null {
  const { year, day, digits, month, first, other, hour = '0', minute = '00', second = '00', half, zone } = groups
  const [slashMonth, slashDay] = inOrder(first, other, half)
  const number = month === undefined ? Number(digits ?? slashMonth) : (monthNumber(month) ?? Number.NaN)
  const hour24 = half === undefined ? hour : String((Number(hour) % 12) + (half === 'PM' ? 12 : 0))
  const date = utcDate(Number(year), number, Number(day ?? slashDay), clock(`${hour24}:${minute}:${second}`))
  return date === undefined ? null : new Date(date.getTime() - offsetOf(zone))
}

/** Returns month and day of 2/3/2001, or neither if either may be first. With AM and PM, the month is first. */
function inOrder(first?: string, other?: string, half?: string): [month?: string, day?: string] {
  if (first === undefined || other === undefined) return []
  if (half !== undefined || Number(other) > 12) return [first, other]
  return Number(first) > 12 || first === other ? [other, first] : []
}

/** Reads `+01:00` as milliseconds. */
function offsetOf(zone = ''): number {
  const [, sign = '', hours = 0, minutes = 0] = /^([+-])(\d\d):?(\d\d)$/.exec(zone) ?? []
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes)) * 60_000
}
