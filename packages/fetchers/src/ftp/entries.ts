import { encodeOctets, octetsToText } from '@retriever/core'
import type { Entry } from '../fetcher.ts'
import { readFacts } from './facts.ts'
import { readListLine } from './list-line.ts'
import type { ListingFormat } from './listing.ts'

/** What one line of a listing says. Octets: one a character. */
export interface ListedFile {
  readonly name: string
  readonly kind: 'file' | 'directory' | 'link' | 'other'
  readonly size?: number
  readonly modified?: Date
  readonly details?: Readonly<Record<string, string>>
}

/** What was listed: the URL asked for, and the argument of NLST, "" where it had none. */
export interface Listed {
  readonly url: string
  readonly name: string
}

/** Reads one line: an entry, `skip` for a line that is none, `unknown` for one that nobody can read. */
type LineParser = (line: string) => ListedFile | 'skip' | 'unknown'

/**
 * The entries of a listing. A line that cannot be read costs nothing but itself: it becomes an entry of kind `other` that leads nowhere,
 * with the line as its name. Names that would lead out of the directory are left out.
 */
export async function* readEntries(
  lines: AsyncIterable<string>,
  format: ListingFormat,
  listed: Listed,
): AsyncGenerator<Entry, void, void> {
  const parse = parserFor(format, listed)
  const base = directoryUrl(listed)
  for await (const line of lines) {
    if (line.trim() === '') continue
    const file = parse(line)
    if (file === 'skip') continue
    if (file === 'unknown') yield { name: octetsToText(line), kind: 'other', url: null }
    else if (isSafe(file.name)) yield entry(file, base)
  }
}

function parserFor(format: ListingFormat, { name }: Listed): LineParser {
  if (format === 'mlsd') return readFacts
  if (format === 'list') return (line) => readListLine(line, new Date())
  return (line) => ({ name: withoutPrefix(line, name), kind: 'other' })
}

/** `NLST pub` gives `pub/a` on most servers, `a` on pyftpdlib, `./a` where NLST had no argument on a few. */
function withoutPrefix(line: string, name: string): string {
  const prefixes = [`./${name}/`, `${name}/`, './'].filter((prefix) => prefix !== '/' && prefix !== './/')
  const prefix = prefixes.find((candidate) => line.startsWith(candidate)) ?? ''
  return line.slice(prefix.length)
}

/** security.md case 3: `../../.bashrc`, `/etc/x`. A `\` or `:` is escaped in the URL, and cleaned where it becomes a local name. */
function isSafe(name: string): boolean {
  return name !== '' && name !== '.' && name !== '..' && !/[/\0]/.test(name)
}

function entry({ name, kind, details, ...known }: ListedFile, base: string): Entry {
  const url = `${base}${encodeOctets(name)}${kind === 'directory' ? '/' : ''}`
  return {
    name: octetsToText(name),
    kind,
    url,
    ...known,
    ...(details === undefined ? {} : { details: readable(details) }),
  }
}

function readable(details: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(details).map(([name, octets]) => [name, octetsToText(octets)]))
}

/** `ftp://h`, `ftp://h/pub;type=d`, `ftp://h/pub`, `ftp://h/pub/` -> the same with one `/` at its end. */
function directoryUrl({ url }: Listed): string {
  const path = url.replace(/#.*$/s, '').replace(/;type=[^/;]*$/i, '')
  return path.endsWith('/') ? path : `${path}/`
}
