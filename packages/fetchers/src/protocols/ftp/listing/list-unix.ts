import type { FileInfo } from 'basic-ftp'
import { parseList } from 'basic-ftp/dist/parseList.js'
import { splitLink } from '../../../kit/text/split-link.ts'
import { safeSize } from './facts.ts'
import { type Column, columnsOf, head, headLength, known, type ListedFile } from './listed-file.ts'
import { type LsDate, readForeignDate, readLsDate } from './ls-date.ts'

/**
 * Reads a line of `ls -l`: `-rw-r--r--   1 ann      ann            27 Feb  3  2001 hello.txt`. basic-ftp reads lines of
 * files and directories in the form that nearly all servers write. We read the others: links, devices, other dates,
 * missing columns.
 */
export function readUnix(line: string, now: Date): ListedFile | undefined {
  return readUsual(line, now) ?? readColumns(line, now)
}

/**
 * Reads a line by basic-ftp. Returns undefined if basic-ftp does not know the line or could be wrong: it ends a name at
 * a CR, keeps the padding before a name and the digits after the permissions, and takes a date within the name for the
 * file's date. Therefore exactly eight columns must stand before the name.
 */
function readUsual(line: string, now: Date): ListedFile | undefined {
  const info = /^[-d][^ \t\d]*[ \t]/.test(line) && line.length <= headLength ? parsed(line) : undefined
  if (info === undefined || info.name.startsWith(' ') || !line.endsWith(info.name)) return undefined
  const columns = line
    .slice(0, line.length - info.name.length)
    .trimEnd()
    .split(/[ \t]+/)
  const date = columns.slice(5)
  const lsDate = readLsDate(date, now)
  const size = safeSize(columns[4] ?? '')
  if (columns.length !== 8 || size === undefined || lsDate?.words !== 3) return undefined
  return {
    name: info.name,
    kind: info.isDirectory ? 'directory' : 'file',
    ...known({ size: info.isFile ? size : undefined, modified: lsDate.modified }),
    details: known({ permissions: columns[0], date: date.join(' ') }),
  }
}

/** basic-ftp throws for a line that is in none of its formats. */
function parsed(line: string): FileInfo | undefined {
  try {
    return parseList(line)[0]
  } catch {
    return undefined
  }
}

/** The kinds by their letter. All other letters are devices, pipes, sockets and doors. */
const kinds: Readonly<Record<string, ListedFile['kind']>> = { '-': 'file', d: 'directory', l: 'link' }

/**
 * Permissions, perhaps with a mark for an access control list. A long number of links may follow without a blank:
 * `drwxr-xr-x1732`.
 */
const permissionsPattern = /^(([-bcdlpsD])[-A-Za-z]{9}[+.@]?)\d{0,6}[ \t]/

/**
 * Reads a line by its columns. The number of columns before the size differs, so the size is the column before the
 * date. If there are several dates, the first one counts, since a name may look like a date.
 */
function readColumns(line: string, now: Date): ListedFile | undefined {
  const [all, permissions = '', type = ''] = permissionsPattern.exec(head(line)) ?? []
  if (all === undefined) return undefined
  const columns = columnsOf(line, all.length)
  const date = findDate(columns, now)
  if (date === undefined) return undefined
  const kind = kinds[type] ?? 'other'
  const text = nameAfter(line, columns, date)
  // The size of a link is that of its target's name, and the size of a directory that of its table.
  const size = safeSize(columns[date.at - 1]?.text ?? '')
  const [name, target] = kind === 'link' ? splitLink(text, size) : [text]
  const device = kind === 'other' ? deviceNumber(columns, date.at) : undefined
  return {
    name,
    kind,
    ...known({ size: kind === 'file' ? size : undefined, modified: date.modified }),
    details: known({ permissions, date: dateWords(columns, date).join(' '), target, device }),
  }
}

interface FoundDate extends LsDate {
  /** The index of the date's first column. */
  readonly at: number
}

function findDate(columns: readonly Column[], now: Date): FoundDate | undefined {
  const words = columns.map(({ text }) => text)
  // A size stands before the date: `33.5k`, `group125435904` and `-528` end like one.
  const places = words.flatMap((_, at) => (/\d[kMGT]?$/.test(words[at - 1] ?? '') ? [at] : []))
  // Most lines have links, user, group and size before the date: `1 14 may 2000 Feb  3  2001` is not of 14 May 2000.
  const usual = [4, 3].filter((at) => places.includes(at))
  return (
    firstDate(words, [...usual, ...places], (tail) => readLsDate(tail, now)) ?? firstDate(words, usual, readForeignDate)
  )
}

function firstDate(
  words: readonly string[],
  places: readonly number[],
  read: (words: readonly string[]) => LsDate | undefined,
): FoundDate | undefined {
  for (const at of places) {
    const date = read(words.slice(at, at + 4))
    if (date !== undefined) return { ...date, at }
  }
  return undefined
}

function dateWords(columns: readonly Column[], { at, words }: FoundDate): readonly string[] {
  return columns.slice(at, at + words).map(({ text }) => text)
}

/** Returns the name, which begins one blank after the date and may begin with blanks of its own. */
function nameAfter(line: string, columns: readonly Column[], { at, words, isDay }: FoundDate): string {
  const last = at + words - 1
  const start = (columns[last]?.end ?? line.length) + 1
  const gap = (columns[last]?.start ?? 0) - (columns[last - 1]?.end ?? 0)
  // Some servers pad a year on its right to the width of a time, `Jan 29 1997  prog`. Usual is `Jan 29  1997 prog`.
  const isPadded = isDay && gap === 1 && line[start] === ' '
  return line.slice(isPadded ? start + 1 : start)
}

/** Reads the device number in `crw-rw-rw-   1 root     root       1,   3 Feb  3  2001 null`. */
function deviceNumber(columns: readonly Column[], at: number): string | undefined {
  const [major = '', minor = ''] = columns.slice(at - 2, at).map(({ text }) => text)
  const pair = major.endsWith(',') ? `${major}${minor}` : minor
  return /^\d+,\d+$/.test(pair) ? pair : undefined
}
