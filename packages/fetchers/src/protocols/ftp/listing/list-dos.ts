import { clock, fullYear, utcDate } from '../../../kit/text/calendar.ts'
import { splitLink } from '../../../kit/text/split-link.ts'
import { safeSize } from './facts.ts'
import { head, known, type LineReading, type ListedFile } from './listed-file.ts'

const dosPattern =
  /^((\d\d[-/]\d\d[-/](?:\d{4}|\d\d)|\d{4}[-/]\d\d[-/]\d\d)[ \t]+(\d\d?:\d\d)(?: ?([AP]M))?)[ \t]+(<[A-Z]+>|[\d,.]+)[ \t]/i

/**
 * Reads a line of Windows' `dir`, as IIS writes it. The month comes before the day:
 * `02-03-01  04:05AM       <DIR>          sub`, `02-03-2001  16:05                   27 hello.txt`. basic-ftp would
 * lose links, dates, and blanks that begin a name.
 */
export function readDos(line: string): LineReading | undefined {
  const [all, date = '', day = '', time = '', half = '', column = ''] = dosPattern.exec(head(line)) ?? []
  if (all === undefined) return undefined
  const text = nameAfter(line, date.length, all.length)
  const kind = dosKind(column)
  const [name, target] = kind === 'link' ? dosLink(text) : [text]
  const size = safeSize(column.replace(/[,.]/g, ''))
  return {
    name,
    kind,
    ...known({ size, modified: dosDate(day, clock(time), half) }),
    details: known({ date, target }),
  }
}

/** Returns the kind of an entry. `<JUNCTION>`, `<SYMLINK>` and `<SYMLINKD>` are links; unknown words mean `other`. */
function dosKind(column: string): ListedFile['kind'] {
  if (!column.startsWith('<')) return 'file'
  if (/^<DIR>$/i.test(column)) return 'directory'
  return /^<(?:JUNCTION|SYMLINKD?)>$/i.test(column) ? 'link' : 'other'
}

/** Splits a link from its target: `a -> c:\b` in old listings, `a [c:\b]` in new ones. */
function dosLink(text: string): readonly [name: string, target?: string] {
  const bracket = text.endsWith(']') ? text.indexOf(' [', 1) : -1
  return bracket === -1 ? splitLink(text) : [text.slice(0, bracket), text.slice(bracket + 2, -1)]
}

/**
 * Returns the name, which begins 22 octets after the time, perhaps with blanks of its own. In a listing with other
 * columns such blanks cannot be distinguished from padding.
 */
function nameAfter(line: string, timeEnd: number, columnEnd: number): string {
  const nameStart = timeEnd + 22
  const isAligned = /^(?: {7}<[A-Z]+> +| +[\d,.]+ )$/i.test(line.slice(timeEnd, nameStart))
  return isAligned ? line.slice(nameStart) : line.slice(columnEnd).replace(/^[ \t]+/, '')
}

function dosDate(text: string, time: number | undefined, half: string): Date | undefined {
  const parts = text.split(/[-/]/)
  const [year = '', month = '', day = ''] = parts[0]?.length === 4 ? parts : [parts[2], parts[0], parts[1]]
  return utcDate(fullYear(year), Number(month), Number(day), afternoon(time, half))
}

/** Converts AM and PM: 12:05AM is five past midnight. */
function afternoon(time: number | undefined, half: string): number | undefined {
  const noon = 12 * 60 * 60 * 1000
  if (half === '' || time === undefined) return time
  return (time % noon) + (half.toUpperCase() === 'PM' ? noon : 0)
}
