const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec']

/** Hours east of Greenwich (RFC 5322 4.3). What other letters mean is not known, which is to be read as UTC. */
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
 * RFC 5322 3.3 and 4.3, as far as news and mail have it, without comments and with single blanks: `Sat, 03 Feb 2001`,
 * `3 Feb 01`, `3 Feb 101`; RFC 850's `Saturday, 03-Feb-01`.
 */
const dayPattern = /^(?:[A-Za-z]{3,9} ?,? ?)?(\d{1,2})[ -]([A-Za-z]{3})[ -](\d{2,4}) (.*)$/

/** `04:05:06 +0000`, `04:05 GMT`. */
const clockPattern = /^(\d{1,2}) ?: ?(\d\d)(?: ?: ?(\d\d))? ?([+-]\d{4}|[A-Za-z]{1,5})(?![^\s,;])/

/** When a message says that it was written; null where that is no date, or one that no calendar has. */
export function messageDate(field: string): Date | null {
  const [, day, month = '', year = '', time = ''] =
    dayPattern.exec(withoutComments(field).replace(/\s+/g, ' ').trim()) ?? []
  const [, hour, minute, second = '0', zone] = clockPattern.exec(time) ?? []
  if (zone === undefined) return null
  const clock = [Number(hour), Number(minute), Number(second)] as const
  // A leap second is the first of the next minute here.
  if (clock[0] > 23 || clock[1] > 59 || clock[2] > 60) return null
  const minutesEast = offset(zone)
  const date = [fullYear(year), months.indexOf(month.toLowerCase()), Number(day)] as const
  // RFC 5322 3.3 knows no earlier year; Date.UTC would take 0001 for 1901.
  if (date[0] < 1900) return null
  const midnight = new Date(Date.UTC(...date))
  if (minutesEast === null || midnight.getUTCDate() !== date[2] || midnight.getUTCMonth() !== date[1]) return null
  return new Date(midnight.getTime() + ((clock[0] * 60 + clock[1] - minutesEast) * 60 + clock[2]) * 1000)
}

/** RFC 5322 4.3: two digits are of 1950 to 2049, and three digits count from 1900. */
function fullYear(digits: string): number {
  const year = Number(digits)
  if (digits.length === 2) return year < 50 ? 2000 + year : 1900 + year
  return digits.length === 3 ? 1900 + year : year
}

/** Minutes east of Greenwich; null for what is no zone. */
function offset(zone: string): number | null {
  if (!/^[+-]/.test(zone)) return (zones[zone.toUpperCase()] ?? 0) * 60
  const minutes = Number(zone.slice(3))
  const east = Number(zone.slice(1, 3)) * 60 + minutes
  if (minutes > 59 || east > 24 * 60) return null
  return zone.startsWith('-') ? -east : east
}

/** RFC 5322 3.2.2: comments stand in parentheses, and may hold others; a blank is left of each. */
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
