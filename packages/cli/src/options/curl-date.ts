const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']
const days = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday']

/** Hours east of Greenwich, by the names of zones that curl knows. */
const zones: Readonly<Record<string, number>> = {
  ...{ gmt: 0, ut: 0, utc: 0, wet: 0, bst: 1, cet: 1, met: 1, mewt: 1, fwt: 1, mest: 2, cest: 2, mesz: 2, fst: 2 },
  ...{ eet: 2, wat: -1, ast: -4, adt: -3, est: -5, edt: -4, cst: -6, cdt: -5, mst: -7, mdt: -6, pst: -8, pdt: -7 },
  ...{ yst: -9, ydt: -8, hst: -10, hdt: -9, cat: -10, ahst: -10, nt: -11, idlw: -12, wast: 7, wadt: 8, cct: 8 },
  ...{ jst: 9, east: 10, eadt: 11, gst: 10, nzt: 12, nzst: 12, nzdt: 13, idle: 12 },
  // The military letters have the signs of RFC 822, as in curl.
  ...Object.fromEntries([...'abcdefghiklm'].map((letter, index) => [letter, -1 - index])),
  ...Object.fromEntries([...'nopqrstuvwxy'].map((letter, index) => [letter, 1 + index])),
  z: 0,
}

/** The parts of a date that were found so far. */
interface Parts {
  weekday?: string
  year?: number
  month?: number
  day?: number
  time?: readonly number[]
  /** Minutes east of Greenwich. */
  zone?: number
}

/**
 * Reads a date as curl does (curl_getdate(3)): up to six words and numbers in almost any order, such as `Sun, 06 Nov
 * 1994 08:49:37 GMT`, `06-Nov-94`, `20041109 15:05 +0200`. A date without a zone is in UTC. Returns null if the text is
 * no date.
 */
export function curlDate(text: string): Date | null {
  const parts: Parts = {}
  let yearIsNext = false
  const tokens = text.matchAll(/[a-z]+|(?<time>\d\d?:\d\d?(?::\d\d?)?)|(?<sign>[+-])?(?<digits>\d+)/gi)
  for (const { 0: word, groups = {} } of [...tokens].slice(0, 6)) {
    const { time, sign, digits } = groups
    if (time !== undefined && parts.time === undefined) parts.time = time.split(':').map(Number)
    else if (time !== undefined) return null
    else if (digits === undefined) {
      if (!takeWord(parts, word.toLowerCase())) return null
    } else if (!takeZone(parts, sign, digits) && !takeWhole(parts, digits)) {
      const number = Number(digits)
      if (!yearIsNext && parts.day === undefined) {
        yearIsNext = true
        if (number > 0 && number < 32) {
          parts.day = number
          continue
        }
      }
      if (!yearIsNext || parts.year !== undefined) return null
      parts.year = fullYear(number)
      yearIsNext = parts.day !== undefined
    }
  }
  return dateOf(parts)
}

/** A year of two digits lies between 1971 and 2070. */
function fullYear(number: number): number {
  if (number >= 100) return number
  return number + (number > 70 ? 1900 : 2000)
}

function takeWord(parts: Parts, word: string): boolean {
  const isDay = days.some((day) => day === word || day.slice(0, 3) === word)
  if (isDay && parts.weekday === undefined) parts.weekday = word
  else if (months.includes(word) && parts.month === undefined) parts.month = months.indexOf(word)
  else if (Object.hasOwn(zones, word) && parts.zone === undefined) parts.zone = (zones[word] ?? 0) * 60
  else return false
  return true
}

/** Takes a zone such as `+0200`. */
function takeZone(parts: Parts, sign: string | undefined, digits: string): boolean {
  const number = Number(digits)
  if (sign === undefined || digits.length !== 4 || number > 1400 || parts.zone !== undefined) return false
  const minutes = Math.floor(number / 100) * 60 + (number % 100)
  parts.zone = sign === '+' ? minutes : -minutes
  return true
}

/** Takes a whole date such as `20040911`. */
function takeWhole(parts: Parts, digits: string): boolean {
  const { year, month, day } = parts
  if (digits.length !== 8 || (year ?? month ?? day) !== undefined) return false
  parts.year = Number(digits.slice(0, 4))
  parts.month = Number(digits.slice(4, 6)) - 1
  parts.day = Number(digits.slice(6))
  return true
}

function dateOf({ year, month, day, time = [], zone = 0 }: Parts): Date | null {
  const [hour = 0, minute = 0, second = 0] = time
  if (year === undefined || month === undefined || day === undefined) return null
  // The Gregorian calendar begins in 1583, so no earlier year is accepted.
  if (year < 1583 || month < 0 || month > 11 || day > 31 || hour > 23 || minute > 59 || second > 60) return null
  const date = new Date(Date.UTC(year, month, day, hour, minute - zone, second))
  return Number.isNaN(date.getTime()) ? null : date
}
