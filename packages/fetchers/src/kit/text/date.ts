import { clock, monthNumber, timeOfDay, utcDate } from './calendar.ts'

/**
 * The forms of dates in RFC 9110 5.6.7, without GMT. Some servers write the day with one digit, or omit the seconds.
 */
const httpForms: readonly RegExp[] = [
  // Sat, 03 Feb 2001 04:05:06 GMT; Saturday, 03-Feb-01 04:05:06 GMT.
  /^(?:[A-Z]{3,9}, ?)?(?<day>\d\d?)[ -](?<month>[A-Z]{3})[ -](?<year>\d{4}|\d\d) (?<time>[\d:]{4,8})$/i,
  // Sat Feb  3 04:05:06 2001, as asctime() of C writes it.
  /^[A-Z]{3} (?<month>[A-Z]{3}) {1,2}(?<day>\d\d?) (?<time>[\d:]{7,8}) (?<year>\d{4})$/i,
  // 2001-02-03T04:05:06.789Z is no form of HTTP, but some programs send it.
  /^(?<year>\d{4})-(?<month>\d\d)-(?<day>\d\d)[T ](?<time>[\d:.]{4,12})$/i,
]

const months = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec']

/** The form that servers must send, which nearly all do. It is read first, since it comes with each answer. */
const usualForm = new RegExp(
  `^[A-Z][a-z]{2}, (\\d\\d) (${months.join('|')}) ([1-9]\\d{3}) ([01]\\d|2[0-3]):([0-5]\\d):([0-5]\\d) GMT$`,
)

/** Some servers write UTC or an offset in place of GMT, or nothing. */
const httpZone = / ?(GMT|UTC?|Z|[+-]\d\d:?\d\d)$/i

/** Reads a date of HTTP, which is in GMT. Returns null for any other text. */
export function httpDate(field: string | null | undefined): Date | null {
  if (field == null) return null
  const usual = usualForm.exec(field)
  if (usual !== null) {
    const month = months.indexOf(usual[2] ?? '') + 1
    const time = timeOfDay(Number(usual[4]), Number(usual[5]), Number(usual[6]))
    return utcDate(Number(usual[3]), month, Number(usual[1]), time) ?? null
  }
  const [text = '', zone = ''] = field.trim().split(httpZone)
  const minutesEast = offset(zone.replace(':', ''))
  for (const form of httpForms) {
    const { day, month = '', year = '', time = '' } = form.exec(text)?.groups ?? {}
    const number = Number(month) || (monthNumber(month) ?? 0)
    const date = utcDate(httpYear(year), number, Number(day), clock(time) ?? Number.NaN)
    if (date !== undefined && !Number.isNaN(minutesEast)) return new Date(date.getTime() - minutesEast * 60_000)
  }
  return null
}

/** Reads the year: one of two digits is at most 50 years ahead (RFC 9110 5.6.7). */
function httpYear(digits: string): number {
  const year = Number(digits)
  if (digits.length !== 2) return year
  return 2000 + year > new Date().getUTCFullYear() + 50 ? 1900 + year : 2000 + year
}

/** Hours east of Greenwich (RFC 5322 4.3). Unknown names of zones count as UTC. */
const zones: Readonly<Record<string, number>> = {
  EST: -5,
  EDT: -4,
  CST: -6,
  CDT: -5,
  MST: -7,
  MDT: -6,
  PST: -8,
  PDT: -7,
}

/**
 * Matches dates of RFC 5322 3.3 and 4.3 as news and mail use them, without comments and with single blanks: `Sat, 03
 * Feb 2001 04:05:06 +0000`, `3 Feb 01 04:05 GMT`, `3 Feb 101 4:05 PDT`. Also RFC 850's `Saturday, 03-Feb-01`.
 */
const mailDay = /^(?:[A-Za-z]{3,9} ?,? ?)?(\d{1,2})[ -]([A-Za-z]{3})[ -](\d{2,4}) (.*)$/
const mailTime = /^(\d{1,2} ?: ?\d\d(?: ?: ?\d\d)?) ?([+-]\d{4}|[A-Za-z]{1,5})(?![^\s,;])/

/** Reads the date in a message's Date field. Returns null for an invalid date, such as 30 February. */
export function messageDate(field: string): Date | null {
  const text = withoutComments(field).replace(/\s+/g, ' ').trim()
  const [, day, month = '', digits = '', rest = ''] = mailDay.exec(text) ?? []
  const [, time = '', zone = ''] = mailTime.exec(rest) ?? []
  // Two digits mean 1950 to 2049, and three digits count from 1900 (RFC 5322 4.3). No year is before 1900 (RFC 5322
  // 3.3).
  const century = digits.length === 4 ? 0 : digits.length === 2 && Number(digits) < 50 ? 2000 : 1900
  const year = century + Number(digits)
  const minutesEast = offset(zone)
  const date = utcDate(year, monthNumber(month) ?? 0, Number(day), clock(time.replaceAll(' ', '')) ?? Number.NaN)
  if (date === undefined || year < 1900 || Number.isNaN(minutesEast)) return null
  return new Date(date.getTime() - minutesEast * 60_000)
}

/** Returns minutes east of Greenwich for `+0130` or a zone name. NaN for an impossible offset. */
function offset(zone: string): number {
  if (!/^[+-]/.test(zone)) return (zones[zone.toUpperCase()] ?? 0) * 60
  const minutes = Number(zone.slice(3))
  const east = Number(zone.slice(1, 3)) * 60 + minutes
  if (minutes > 59 || east > 24 * 60) return Number.NaN
  return zone.startsWith('-') ? -east : east
}

/** Replaces each comment by a blank. Comments stand in parentheses and may be nested (RFC 5322 3.2.2). */
function withoutComments(field: string): string {
  if (!field.includes('(')) return field
  let depth = 0
  let text = ''
  for (const character of field) {
    if (character === '(') depth++
    else if (character === ')') {
      if (depth > 0) depth--
      text += ' '
    } else if (depth === 0) text += character
  }
  return text
}
