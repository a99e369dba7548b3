import { octetsToText } from '@retriever/core'

const day = 24 * 60 * 60 * 1000

/**
 * Makes a date from year, month (from 1), day of the month and milliseconds since midnight, in UTC. Undefined if the
 * date does not exist, such as 30 February. The seconds may be 60, a leap second (RFC 3659 2.3).
 */
export function utcDate(year: number, month: number, date: number, time = 0): Date | undefined {
  const midnight = new Date(Date.UTC(year, month - 1, date))
  // Date.UTC reads the years 0 to 99 as 1900 to 1999.
  const isDate =
    midnight.getUTCFullYear() === year && midnight.getUTCMonth() === month - 1 && midnight.getUTCDate() === date
  return isDate && time >= 0 && time < day + 1000 ? new Date(midnight.getTime() + time) : undefined
}

/**
 * Returns the latest date with this month, day and time that is not in the future: `ls` leaves out the year of recent
 * months. The date may be up to a day after `now`, since the next day may have begun in the server's time zone. The
 * search goes back eight years to find a 29 February.
 */
export function latestDate(month: number, date: number, time: number, now: Date): Date | undefined {
  const newest = now.getUTCFullYear() + 1
  for (let year = newest; year >= newest - 9; year--) {
    const candidate = utcDate(year, month, date, time)
    if (candidate !== undefined && candidate.getTime() <= now.getTime() + day) return candidate
  }
  return undefined
}

/**
 * Reads a time such as `4:05` or `04:05:06.789` as milliseconds since midnight. NaN for an impossible time such as
 * 25:00, undefined for other text.
 */
export function clock(text: string): number | undefined {
  const [, hour, minute, second = '0', fraction = ''] = /^(\d\d?):(\d\d?)(?::(\d\d)(?:\.(\d+))?)?$/.exec(text) ?? []
  if (hour === undefined || minute === undefined) return undefined
  return timeOfDay(Number(hour), Number(minute), Number(second), fraction)
}

/**
 * Returns milliseconds since midnight. `fraction` has the digits after the seconds' point. NaN for an impossible time.
 */
export function timeOfDay(hour: number, minute: number, second: number, fraction = ''): number {
  if (hour > 23 || minute > 59 || second > 60) return Number.NaN
  const milliseconds = fraction === '' ? 0 : Number(fraction.slice(0, 3).padEnd(3, '0'))
  return (hour * 60 + minute) * 60_000 + second * 1000 + milliseconds
}

/**
 * Reads a year of two digits as POSIX does: 69 to 99 are in the last century. Some programs write years of three
 * digits, which count from 1900: 103 is 2003.
 */
export function fullYear(text: string): number {
  const year = Number(text)
  if (text.length === 2) return year < 69 ? 2000 + year : 1900 + year
  return text.length === 3 ? 1900 + year : year
}

/**
 * Months as `ls` writes them in English, German, French, Spanish, Italian, Dutch, Portuguese, the Scandinavian
 * languages and Russian. Each word means only one month. Polish and Croatian are left out, because `lis` means
 * different months in them.
 */
const months = new Map(
  [
    'jan jän january janv ene gen янв',
    'feb february fev fév fevr févr фев',
    'mar march mars mär märz mrz mrt мар',
    'apr april avr avril abr апр',
    'may mai maj mei mag май мая',
    'jun june juni juin giu июн',
    'jul july juli juil juillet lug июл',
    'aug august aout août ago авг',
    'sep sept september set сен',
    'oct october okt ott out окт',
    'nov november ноя',
    'dec december dez déc dic des дек',
  ].flatMap((row, index) => row.split(' ').map((word): [string, number] => [word, index + 1])),
)

/** Returns the number (1 to 12) of a month's name: `Feb`, `Juli,`, `déc.`, `3月`. Undefined for other words. */
export function monthNumber(octets: string): number | undefined {
  const text = octetsToText(octets)
  const numbered = /^(\d\d?)[月월]$/.exec(text)?.[1]
  if (numbered !== undefined) return Number(numbered)
  // Ignores the full stop or comma after an abbreviation.
  return months.get(text.toLowerCase().replace(/(?<![.,])[.,]+$/, ''))
}
