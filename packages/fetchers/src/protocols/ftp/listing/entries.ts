import { encodeOctets, octetsToText } from '@retriever/core'
import type { Entry } from '../../../contract/fetcher.ts'
import { readFacts } from './facts.ts'
import { readDos } from './list-dos.ts'
import { joinVms, readEplf, readVms } from './list-legacy.ts'
import { readUnix } from './list-unix.ts'
import { head, type LineReader, type LineReading, type ListedFile } from './listed-file.ts'

/** The format of a listing: facts (RFC 3659 7), what the server's `ls` writes, or only names. */
export type ListingFormat = 'mlsd' | 'list' | 'nlst'

/** What the check after the last line finds. */
export interface Found {
  /** True if the requested name is not a directory. */
  isFile: boolean
}

/** The requested URL, and NLST's argument, or "" if it has none. */
export interface Listed {
  readonly url: string
  readonly name: string
  readonly found?: Readonly<Found>
  /** Turns octets into text for people. */
  readonly decode?: (octets: string) => string
}

/**
 * Yields the entries of a listing. A line that cannot be read does not affect the others: it becomes an entry of kind
 * `other` without a URL, with the line as its name. So does a name that holds a `/` or NUL, which are `%2F` and `%00`
 * in the entry. A message of the server's program has the kind `info`. `.` and `..` are left out, and so are all paths
 * in NLST that lead elsewhere.
 */
export async function* readEntries(
  lines: AsyncIterable<string>,
  format: ListingFormat,
  listed: Listed,
): AsyncGenerator<Entry, void, void> {
  const entries = entriesOf(lines, format, listed)
  if (listed.name === '') return yield* entries
  // Only the end of the listing shows whether its only line is the file itself.
  let held: Entry | undefined
  for await (const next of entries) {
    if (held !== undefined) yield held
    held = next
  }
  if (listed.found?.isFile) yield fileItself(listed)
  else if (held !== undefined) yield held
}

/**
 * Makes the entry for NLST of a file. Servers give its name, as they do for a directory that holds one file of that
 * name.
 */
function fileItself({ url, name }: Listed): Entry {
  return { name: octetsToText(name.slice(name.lastIndexOf('/') + 1)), kind: 'other', url: withoutType(url) }
}

async function* entriesOf(
  lines: AsyncIterable<string>,
  format: ListingFormat,
  listed: Listed,
): AsyncGenerator<Entry, void, void> {
  const read = readerFor(format, listed)
  const base = directoryUrl(listed)
  const { decode = octetsToText } = listed
  const now = new Date()
  for await (const line of format === 'list' ? joinVms(lines) : lines) {
    if (/^[ \t]*$/.test(line)) continue
    const reading = read(line, now) ?? 'unknown'
    if (reading === 'skip') continue
    if (reading === 'message') yield { name: decode(line), kind: 'info', url: null }
    else if (reading === 'unknown') yield { name: decode(line), kind: 'other', url: null }
    else if (format !== 'nlst' && isElsewhere(reading.name))
      yield { name: harmless(decode(reading.name)), kind: 'other', url: null, details: { leadsElsewhere: true } }
    else if (isEntry(reading.name)) yield entry(reading, base, decode)
  }
}

function readerFor(format: ListingFormat, { name }: Listed): LineReader {
  if (format === 'mlsd') return readFacts
  if (format === 'list') return readListLine
  return (line) => ({ name: withoutPrefix(line, name), kind: 'other' })
}

/** The readers in the order in which they are tried. None reads a line of another format. */
const readers: readonly LineReader[] = [readUnix, readEplf, readDos, readVms, readRemark]

/**
 * Reads a line of LIST, whose format RFC 959 leaves to the server. It judges each line by itself, so that one strange
 * line does not affect others. `now` gives the year of dates without one.
 */
function readListLine(line: string, now: Date): LineReading {
  for (const read of readers) {
    const reading = read(line, now)
    if (reading === undefined) continue
    return typeof reading === 'object' && reading.name === '' ? 'unknown' : reading
  }
  return 'unknown'
}

/**
 * Reads `total 12` of ls, and messages in place of an entry: `ls: x: Permission denied`, `%DIRECT-W-NOFILES, no files
 * found`.
 */
function readRemark(line: string): LineReading | undefined {
  const text = head(line)
  if (/^total:? [\d.,]+[KMGT]?[ \t]*$/i.test(text)) return 'skip'
  return /^(?:[^ \t]*\/)?(?:ls|ftpd[\w-]*): |^[^ \t]*[ \t]*<?%[A-Z]+-[SIWEF]-[A-Z]+, /.test(text)
    ? 'message'
    : undefined
}

/**
 * Removes a prefix: `NLST pub` gives `pub/a` on most servers and `a` on pyftpdlib; NLST without an argument gives `./a`
 * on some.
 */
function withoutPrefix(line: string, name: string): string {
  const prefixes = [`./${name}/`, `${name}/`, './'].filter((prefix) => prefix !== '/' && prefix !== './/')
  const prefix = prefixes.find((candidate) => line.startsWith(candidate)) ?? ''
  return line.slice(prefix.length)
}

/**
 * Whether a name can be that of an entry. `../../.bashrc` and `/etc/x` get no URL (threats.md 3). A `\` or `:` is
 * escaped in the URL, and replaced when the name becomes a local one.
 */
function isEntry(name: string): boolean {
  return name !== '' && name !== '.' && name !== '..' && !isElsewhere(name)
}

function isElsewhere(name: string): boolean {
  return /[/\0]/.test(name)
}

/** Writes `/` and NUL as `%2F` and `%00`: somebody may use the names of a listing as names of files. */
function harmless(name: string): string {
  return name.replaceAll('/', '%2F').replaceAll('\0', '%00')
}

function entry({ name, kind, details, ...known }: ListedFile, base: string, decode: (octets: string) => string): Entry {
  const url = `${base}${encodeOctets(name)}${kind === 'directory' ? '/' : ''}`
  return {
    name: decode(name),
    kind,
    url,
    ...known,
    ...(details === undefined ? {} : { details: readable(details) }),
  }
}

type Details = NonNullable<ListedFile['details']>

function readable(details: Details): Details {
  return Object.fromEntries(
    Object.entries(details).map(([name, value]) => [name, typeof value === 'string' ? octetsToText(value) : value]),
  )
}

/** Returns the URL with one `/` at its end: `ftp://h`, `ftp://h/pub;type=d`, `ftp://h/pub`, `ftp://h/pub/`. */
function directoryUrl({ url }: Listed): string {
  const path = withoutType(url)
  return path.endsWith('/') ? path : `${path}/`
}

function withoutType(url: string): string {
  return url.replace(/#.*$/s, '').replace(/;type=[^/;]*$/i, '')
}
