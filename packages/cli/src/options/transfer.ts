import { type Stats, statSync } from 'node:fs'
import { resolve as absolute, dirname } from 'node:path'
import type { OctetRange, RequestOptions } from '@retriever/fetchers/internal'
import { usageError } from '../exit-codes.ts'
import type { Destination } from '../saving/destination.ts'
import { curlDate } from './curl-date.ts'
import { type GivenOptions, get, type OptionRow, sets, working } from './option.ts'
import { readPreference } from './protocols/headers.ts'

export type TransferOption =
  | 'range'
  | 'continue-at'
  | 'continue-unverified'
  | 'remove-on-error'
  | 'time-cond'
  | 'accept'
  | 'accept-language'
  | 'follow-access'

export const transferOptions: readonly OptionRow<TransferOption>[] = [
  {
    long: 'range',
    ...sets('range', readRange),
    sent: true,
    short: 'r',
    arg: 'A-B',
    help: 'Retrieve only the octets A to B, counted from 0; A-: from A to the end; -N: the last N; HTTP takes a list',
    commands: get,
    example: 'retrieve -r 0-99 http://www.example.org/big',
  },
  {
    long: 'continue-at',
    sent: true,
    short: 'C',
    arg: 'OFFSET|-',
    help:
      'Continue at OFFSET, or with - where NAME.part ends, if it is proved to be of the same version; otherwise start ' +
      'over; never replaces a longer file',
    commands: get,
    example: 'retrieve -C - -o big.iso ftp://ftp.example.org/pub/big.iso',
  },
  {
    long: 'continue-unverified',
    sent: true,
    help: 'Let -C append to a file of unknown version, if its end is the same as on the server, and it is no older',
    commands: get,
    example: 'retrieve -C - --continue-unverified -o big.iso http://www.example.org/big.iso',
  },
  {
    long: 'remove-on-error',
    sent: false,
    help: 'Remove the part of a file whose retrieval fails; otherwise it stays as NAME.part',
    commands: get,
    example: 'retrieve --remove-on-error -O http://www.example.org/big.iso',
  },
  {
    long: 'time-cond',
    sent: true,
    short: 'z',
    arg: 'DATE|FILE',
    help: 'Retrieve only what is newer than DATE, or than FILE; with - before it, only what is no newer',
    commands: get,
    example: 'retrieve -z list.txt -o list.txt ftp://ftp.example.org/list.txt',
  },
  {
    long: 'accept',
    ...sets('accept', (text) => readPreference('accept', text)),
    sent: true,
    arg: 'TYPES',
    help: 'The media types you accept, as in HTTP; for Gopher+, the view that fits best is chosen',
    commands: working,
    example: "retrieve --accept 'application/postscript, text/plain;q=0.5' gopher://gopher.example.org/0/paper%09%09+",
  },
  {
    long: 'accept-language',
    ...sets('acceptLanguage', (text) => readPreference('accept-language', text)),
    sent: true,
    arg: 'LANGS',
    help: 'The languages you accept, for HTTP and Gopher+',
    commands: working,
    example: "retrieve --accept-language 'de, en;q=0.5' http://www.example.org/",
  },
  {
    long: 'follow-access',
    ...sets('prospero.followAccess', () => true),
    sent: true,
    help: 'Get the data of a Prospero object by the access method of another protocol (FTP, Gopher) that its server names',
    commands: working,
    example: 'retrieve --follow-access -O prospero://prospero.example.org//pros/name',
  },
]

/** Reads `A-B`, `A-` (or `A`), `-N`, or several of them with commas. Throws `invalid-option`. */
function readRange(text: string): OctetRange | OctetRange[] {
  const ranges = text.split(',').map((part) => {
    const range = oneRange(part.trim())
    if (range !== null) return range
    const expected = 'A-B, A- or -N, such as 0-99, with A not above B, or a list of them'
    throw usageError(`--range needs ${expected}; not ${JSON.stringify(text)}.`)
  })
  const [only] = ranges
  return only !== undefined && ranges.length === 1 ? only : ranges
}

function oneRange(text: string): OctetRange | null {
  const [, first = '', last = ''] = /^(?=.*\d)(\d{0,15})(?:-(\d{0,15}))?$/.exec(text) ?? []
  if (first === '') return Number(last) > 0 ? [-Number(last), null] : null
  if (last !== '' && Number(last) < Number(first)) return null
  return [Number(first), last === '' ? null : Number(last)]
}

/** Where a body begins: at an octet, or at the end of the output file. */
export type ContinueAt = number | 'end'

/** The value of -C; null if the whole body is wanted. Throws `invalid-option`. */
export function readContinueAt(
  line: GivenOptions<TransferOption>,
  destinations: readonly Destination[],
): ContinueAt | null {
  const text = line.value('continue-at')
  if (text === undefined) return null
  if (line.has('range')) throw usageError('-C and -r both say where to begin: give one of them.')
  if (text === '-') {
    if (destinations.every(({ to }) => to !== 'stdout')) return 'end'
    throw usageError('-C - continues a file: name it with -o FILE or -O.')
  }
  if (!/^\d{1,15}$/.test(text)) {
    throw usageError(
      `--continue-at needs a number of octets, or - for the end of the file; not ${JSON.stringify(text)}.`,
    )
  }
  return Number(text) || null
}

/** Whether --continue-unverified is given. Throws `invalid-option` without -C. */
export function readContinueUnverified(line: GivenOptions<TransferOption>): boolean {
  if (!line.has('continue-unverified')) return false
  if (!line.has('continue-at')) throw usageError('--continue-unverified says how -C continues: give -C - too.')
  return true
}

/** Whether --remove-on-error is given. Throws `invalid-option` together with -C. */
export function readRemoveOnError(line: GivenOptions<TransferOption>): boolean {
  if (!line.has('remove-on-error')) return false
  if (line.has('continue-at')) throw usageError('-C continues what --remove-on-error removes: give one of them.')
  return true
}

/** Matches dates of RFC 9110 5.6.7 and ISO 8601, which are unlikely names of files. */
const exactDate = /^(?:\d{4}-\d\d-\d\d(?:[T ].*)?|(?:mon|tue|wed|thu|fri|sat|sun)[a-z]*,? .*)$/i
/**
 * Other dates must begin with the year, or name the month and the year, since Date.parse reads `backup-3` as March
 * 2001, `06.05.2030` as the 5th of June, and `may 6` as a day of 2001.
 */
const looseDate =
  /^(?:\d{4}(?!\d)|(?=.*\b\d{4}\b)(?:\d+ +)?(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]*[ ,])/i

/** The condition of -z; empty if there is none. */
type TimeCondition = Pick<RequestOptions, 'ifChangedSince' | 'ifUnchangedSince'>

/** Reads -z: the resource must be newer than the date, or with `-` before it no newer. Throws `invalid-option`. */
export function readTimeCondition(text: string, destinations: readonly Destination[]): TimeCondition {
  const isOlder = text.startsWith('-')
  const date = readTime(isOlder || text.startsWith('+') ? text.slice(1) : text, destinations)
  if (date === null) return {}
  return isOlder ? { ifUnchangedSince: date } : { ifChangedSince: date }
}

/**
 * The date of -z: one that curl reads, that of a file, or one that Date.parse reads. Null for an output file that does
 * not exist yet, as in the first `-z list -o list`.
 */
function readTime(text: string, destinations: readonly Destination[]): Date | null {
  const byCurl = curlDate(text)
  if (byCurl !== null) return byCurl
  const date = new Date(text)
  const isDate = !Number.isNaN(date.getTime())
  if (isDate && exactDate.test(text)) return date
  const file = statusOf(text)
  if (file?.isFile()) return file.mtime
  const isMissing = file === undefined
  if (isMissing && destinations.some((each) => each.to === 'file' && isSamePath(each.path, text))) return null
  if (isDate && looseDate.test(text)) return date
  if (isMissing && destinations.some((each) => mayBeNamed(each, text))) return null
  const expected = 'a date such as 2001-02-03 or "Sat, 03 Feb 2001 04:05:06 GMT", or a file that exists'
  throw usageError(`--time-cond needs ${expected}; not ${JSON.stringify(text)}.`)
}

function isSamePath(one: string, other: string): boolean {
  return absolute(one) === absolute(other)
}

/** Whether -O may give a file this name; -O learns its names only later. */
function mayBeNamed(destination: Destination, file: string): boolean {
  return destination.to === 'remote-name' && isSamePath(destination.directory, dirname(file))
}

/** The absolute path of the file that -z names; null if it names a date, or is not given. */
export function readTimeFile(line: GivenOptions<TransferOption>): string | null {
  const text = line.value('time-cond')?.replace(/^[+-]/, '')
  if (text === undefined || curlDate(text) !== null || exactDate.test(text)) return null
  return statusOf(text)?.isFile() ? absolute(text) : null
}

function statusOf(path: string): Stats | undefined {
  try {
    return statSync(path)
  } catch {
    return undefined
  }
}
