import { octetsToText } from '@retriever/core'

const day = 24 * 60 * 60 * 1000

/**
 * A day (months from 1) and the milliseconds since its midnight. Undefined for what is no date, so that 30 February does not become
 * 2 March. The seconds may be 60, a leap second (RFC 3659 2.3).
 */
export function utcDate(year: number, month: number, date: number, time = 0): Date | undefined {
  const midnight = new Date(Date.UTC(year, month - 1, date))
  // Date.UTC takes the years 0 to 99 for 1900 to 1999.
  const isDate =
    midnight.getUTCFullYear() === year && midnight.getUTCMonth() === month - 1 && midnight.getUTCDate() === date
  return isDate && time >= 0 && time < day + 1000 ? new Date(midnight.getTime() + time) : undefined
}

/**
 * The last such date that has been: a time stands for the year in dates of the last months. Up to a day ahead of `now`, since the
 * server's clock may be in a zone where tomorrow has begun. Eight years back, for 29 February.
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
 * `4:05`, `04:05:06.789`, as milliseconds since midnight. NaN for 25:00, which has the shape of a time and is none; undefined for
 * what has not even that.
 */
export function clock(text: string): number | undefined {
  const [, hour, minute, second = '0', fraction = ''] = /^(\d\d?):(\d\d?)(?::(\d\d)(?:\.(\d+))?)?$/.exec(text) ?? []
  if (hour === undefined || minute === undefined) return undefined
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 60) return Number.NaN
  return (Number(hour) * 60 + Number(minute)) * 60_000 + Number(second) * 1000 + milliseconds(fraction)
}

/** Of the digits behind a decimal point; what is finer is cut off. */
function milliseconds(fraction: string): number {
  return Number(fraction.slice(0, 3).padEnd(3, '0'))
}

/**
 * The year of two digits as POSIX reads it: 69 to 99 are of the last century. Of three, as programs wrote it that counted from 1900:
 * 103 is 2003.
 */
export function fullYear(text: string): number {
  const year = Number(text)
  if (text.length === 2) return year < 69 ? 2000 + year : 1900 + year
  return text.length === 3 ? 1900 + year : year
}

/**
 * Abbreviations as `ls` writes them in English, German, French, Spanish, Italian, Dutch, Portuguese, the Scandinavian languages and
 * Russian. No word is in two rows; Polish and Croatian are left out, whose `lis` are different months.
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

/** 1 to 12 for a month's name: `Feb`, `Juli,`, `déc.`, `3月`. Undefined for a word that is none. */
export function monthNumber(octets: string): number | undefined {
  const text = octetsToText(octets)
  const numbered = /^(\d\d?)[月월]$/.exec(text)?.[1]
  return numbered === undefined ? months.get(folded(text)) : Number(numbered)
}

/** Without case and the mark of an abbreviation. */
function folded(text: string): string {
  return text.toLowerCase().replace(/(?<![.,])[.,]+$/, '')
}
