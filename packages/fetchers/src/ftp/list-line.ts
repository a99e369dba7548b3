import type { ListedFile } from './listed-file.ts'

/**
 * One line of LIST, which RFC 959 leaves to the server: `ls -l` of Unix, `dir` of DOS, or EPLF. Each line is judged by itself, so that
 * one strange line does not decide for the rest. `now` tells the year of dates that have none.
 */
export function readListLine(line: string, now: Date): ListedFile | 'skip' | 'unknown' {
  if (/^total \d+\s*$/i.test(line)) return 'skip'
  if (line.startsWith('+')) return readEplf(line) ?? 'unknown'
  if (/^\d/.test(line)) return readDos(line) ?? 'unknown'
  return readUnix(line, now) ?? 'unknown'
}

const kinds: Readonly<Record<string, ListedFile['kind']>> = { '-': 'file', d: 'directory', l: 'link' }
const months: readonly string[] = 'jan feb mar apr may jun jul aug sep oct nov dec'.split(' ')

/** `-rw-r--r--   1 ann      ann            27 Feb  3  2001 hello.txt`; without a group, or with ISO dates, too. */
function readUnix(line: string, now: Date): ListedFile | undefined {
  if (!/^[-bcdlpsD][-rwxsStTlL]{9}/.test(line)) return undefined
  const fields = [...line.slice(0, 512).matchAll(/\S+/g)]
  const words = fields.map(([word]) => word)
  // Size and date are looked for from the left, since user and group may be absent, and the name may look like a date.
  const at = words.findIndex(
    (_, index) => index >= 3 && /^\d+$/.test(words[index - 1] ?? '') && dateAt(words, index, now),
  )
  const date = at === -1 ? undefined : dateAt(words, at, now)
  const last = date === undefined ? undefined : fields[at + date.words - 1]
  if (date === undefined || last === undefined) return undefined
  const kind = kinds[line[0] ?? ''] ?? 'other'
  // One blank, then the name, which may begin with blanks of its own.
  const [name, target] = splitLink(line.slice(last.index + last[0].length + 1), kind)
  return {
    name,
    kind,
    size: Number(words[at - 1]),
    modified: date.modified,
    details: { permissions: words[0] ?? '', date: words.slice(at, at + date.words).join(' '), ...target },
  }
}

function splitLink(text: string, kind: ListedFile['kind']): [string, { target?: string }] {
  const arrow = kind === 'link' ? text.indexOf(' -> ') : -1
  return arrow === -1 ? [text, {}] : [text.slice(0, arrow), { target: text.slice(arrow + 4) }]
}

interface ListedDate {
  readonly modified: Date
  readonly words: number
}

/**
 * `Feb 3 2001`, `Feb 3 04:05`, `3 Feb 2001`, `2001-02-03 04:05`. It is the server's local time, whose zone nobody tells; taken as UTC,
 * so up to a day off. MLSD has the exact one.
 */
function dateAt(words: readonly string[], at: number, now: Date): ListedDate | undefined {
  const [first = '', second = '', third = ''] = words.slice(at, at + 3)
  const iso = /^(\d{4})-(\d\d)-(\d\d)$/.exec(first)
  if (iso !== null) {
    const [hour, minute] = clock(second) ?? []
    if (hour === undefined || minute === undefined) return undefined
    return { modified: new Date(Date.UTC(Number(iso[1]), Number(iso[2]) - 1, Number(iso[3]), hour, minute)), words: 2 }
  }
  const [month, day] = /^\d/.test(first) ? [second, first] : [first, second]
  const index = months.indexOf(month.toLowerCase())
  if (index === -1 || !/^\d{1,2}$/.test(day)) return undefined
  const modified = yearOrTime(third, index, Number(day), now)
  return modified === undefined ? undefined : { modified, words: 3 }
}

/** A time stands for the year in dates of the last months: the latest such date that is not in the future. */
function yearOrTime(text: string, month: number, day: number, now: Date): Date | undefined {
  if (/^\d{4}$/.test(text)) return new Date(Date.UTC(Number(text), month, day))
  const [hour, minute] = clock(text) ?? []
  if (hour === undefined || minute === undefined) return undefined
  const modified = new Date(Date.UTC(now.getUTCFullYear(), month, day, hour, minute))
  const tomorrow = now.getTime() + 24 * 60 * 60 * 1000
  return modified.getTime() <= tomorrow
    ? modified
    : new Date(Date.UTC(now.getUTCFullYear() - 1, month, day, hour, minute))
}

function clock(text: string): readonly [number, number] | undefined {
  const match = /^(\d{1,2}):(\d\d)(?::\d\d(?:\.\d+)?)?$/.exec(text)
  return match === null ? undefined : [Number(match[1]), Number(match[2])]
}

/** `02-03-01  04:05AM       <DIR>          sub`, `02-03-2001  16:05                 27 hello.txt`: IIS. */
function readDos(line: string): ListedFile | undefined {
  const match =
    /^(\d\d)-(\d\d)-(\d{4}|\d\d) {1,4}(\d\d):(\d\d)([AP]M)? {1,20}(?:(<DIR>) {1,20}|(\d{1,15}) )(\S.*)$/is.exec(line)
  if (match === null) return undefined
  const [, month, day, year, hour, minute, half, directory, size, name = ''] = match
  const hours = half === undefined ? Number(hour) : (Number(hour) % 12) + (half.toUpperCase() === 'PM' ? 12 : 0)
  const modified = new Date(Date.UTC(fullYear(Number(year)), Number(month) - 1, Number(day), hours, Number(minute)))
  const kind = directory === undefined ? 'file' : 'directory'
  return { name, kind, modified, ...(size === undefined ? {} : { size: Number(size) }) }
}

/** Two digits, as POSIX reads them: 69 to 99 are of the last century. */
function fullYear(year: number): number {
  if (year >= 100) return year
  return year < 69 ? 2000 + year : 1900 + year
}

/** `+i8388621.29609,m824255902,/,<TAB>tdev`: https://cr.yp.to/ftp/list/eplf.html */
function readEplf(line: string): ListedFile | undefined {
  const tab = line.indexOf('\t')
  if (tab === -1) return undefined
  const facts = line.slice(1, tab).split(',')
  const number = (letter: string): number | undefined => {
    const digits = facts.find((fact) => fact.startsWith(letter))?.slice(1) ?? ''
    return /^\d{1,15}$/.test(digits) ? Number(digits) : undefined
  }
  const [size, seconds] = [number('s'), number('m')]
  const kind = facts.includes('/') ? 'directory' : facts.includes('r') ? 'file' : 'other'
  return {
    name: line.slice(tab + 1),
    kind,
    ...(size === undefined ? {} : { size }),
    ...(seconds === undefined || seconds > 8e12 ? {} : { modified: new Date(seconds * 1000) }),
  }
}
