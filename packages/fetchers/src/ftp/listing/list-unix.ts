import { head, safeSize, type Word, wordsOf } from './line-words.ts'
import { known, type LineReading, type ListedFile, splitLink } from './listed-file.ts'
import { type LsDate, readForeignDate, readLsDate } from './ls-date.ts'

/** Others are devices, pipes, sockets, doors; `a` is Plan 9's file that only grows. */
const kinds: Readonly<Record<string, ListedFile['kind']>> = { '-': 'file', a: 'file', d: 'directory', l: 'link' }

/**
 * Permissions, whatever letters a system has in them, perhaps with a mark for an access control list, and with the number of links glued
 * to them where it is long: `drwxr-xr-x1732`, HylaFAX's `drwxrwx`, `-rwx---A--` of VxWorks, NetWare's `d [R----F--]` and `-[RWCEMFA]`.
 */
const permissionsPattern = /^(([-abcdlpsD])(?:[-A-Za-z]{6,12}[+.@]?| {0,2}\[[-A-Z]{7,8}\]))\d{0,6}[ \t]/

/**
 * `ls -l`: `-rw-r--r--   1 ann      ann            27 Feb  3  2001 hello.txt`, and what other systems made of it. Which columns stand
 * before the size differs, so the size is what the date stands behind; of several dates it is the first, since a name may look like one.
 */
export function readUnix(line: string, now: Date): LineReading | undefined {
  const [all, permissions = '', type = ''] = permissionsPattern.exec(head(line)) ?? []
  if (all === undefined) return undefined
  const fields = wordsOf(line, all.length)
  const date = findDate(fields, now)
  if (date === undefined) return undefined
  const kind = kinds[type] ?? 'other'
  const text = nameAfter(line, fields, date)
  // A link's size is that of its target's name, a directory's what the file system keeps it in.
  const size = safeSize(fields[date.at - 1]?.text ?? '')
  const [name, target] = kind === 'link' ? splitLink(text, size) : [text]
  const isExact = kind === 'file' && !hasForks(fields, date.at)
  const device = kind === 'other' ? deviceNumber(fields, date.at) : undefined
  return {
    name,
    kind,
    ...known({ size: isExact ? size : undefined, modified: date.modified }),
    details: known({ permissions, date: dateWords(fields, date).join(' '), target, device }),
  }
}

interface FoundDate extends LsDate {
  /** Which field it begins with. */
  readonly at: number
}

function findDate(fields: readonly Word[], now: Date): FoundDate | undefined {
  const words = fields.map(({ text }) => text)
  // `33.5k`, `group125435904`, `-528` end like a size, and are none.
  const places = words.flatMap((_, at) => (/\d[kMGT]?$/.test(words[at - 1] ?? '') ? [at] : []))
  // Behind links, user, group and size, where most have it: `1 14 may 2000 Feb  3  2001` is not of 14 May 2000.
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

function dateWords(fields: readonly Word[], { at, words }: FoundDate): readonly string[] {
  return fields.slice(at, at + words).map(({ text }) => text)
}

/** One blank, then the name, which may begin with blanks of its own; but some servers pad the columns before it. */
function nameAfter(line: string, fields: readonly Word[], { at, words, isDay }: FoundDate): string {
  const gap = (index: number): number => (fields[index]?.start ?? 0) - (fields[index - 1]?.end ?? 0)
  const last = at + words - 1
  const start = (fields[last]?.end ?? line.length) + 1
  // HellSoft's NetWare: `512       Jan 16 18:53    login`.
  if (gap(at) > 1) return line.slice(start).replace(/^[ \t]+/, '')
  // A year as wide as a time, `Jan 29 1997  prog`, where others write `Jan 29  1997 prog`.
  const isPadded = isDay && gap(last) === 1 && line[start] === ' '
  return line.slice(isPadded ? start + 1 : start)
}

/** `crw-rw-rw-   1 root     root       1,   3 Feb  3  2001 null` */
function deviceNumber(fields: readonly Word[], at: number): string | undefined {
  const [major = '', minor = ''] = fields.slice(at - 2, at).map(({ text }) => text)
  const pair = major.endsWith(',') ? `${major}${minor}` : minor
  return /^\d+,\d+$/.test(pair) ? pair : undefined
}

/**
 * `-------r--         326  1391972  1392298 Nov 22  1995 MegaPhone.sit`: NetPresenz for the Mac has the sizes of both forks and their
 * sum. What a retrieval gives depends on how it sends them.
 */
function hasForks(fields: readonly Word[], at: number): boolean {
  const [resource, data, sum] = fields.slice(0, 3).map(({ text }) => safeSize(text))
  if (at !== 3 || resource === undefined || data === undefined) return false
  return resource > 0 && resource + data === sum
}
