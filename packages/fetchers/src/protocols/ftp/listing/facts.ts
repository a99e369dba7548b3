import { timeOfDay, utcDate } from '../../../kit/text/calendar.ts'
import { known, type LineReading, type ListedFile } from './listed-file.ts'

/**
 * Reads a line of MLSD (RFC 3659 7.2): `type=file;size=27;modify=20010203040506; hello.txt`. The name begins after the
 * first blank and may hold anything but `/`. Facts may have any case and order. Unknown facts are kept; basic-ftp would
 * drop them.
 */
export function readFacts(line: string): LineReading {
  const [factText, name] = splitLine(line)
  if (factText === undefined || name === undefined || name === '') return 'unknown'
  const facts = factMap(factText)
  const type = facts.get('type')?.toLowerCase() ?? ''
  if (type === 'cdir' || type === 'pdir') return 'skip'
  const size = safeSize(facts.get('size') ?? '')
  const modified = readTime(facts.get('modify') ?? '')
  return { name, kind: kindOf(type), ...known({ size, modified }), details: details(facts) }
}

/**
 * Splits a line. Facts end at `;` and a blank, since a link's target may hold blanks, although RFC 3659 has none in
 * facts.
 */
function splitLine(line: string): readonly [string?, string?] {
  if (line.startsWith(' ')) return ['', line.slice(1)]
  // Some servers write a tab instead of the blank.
  const end = line.search(/;[ \t]/)
  if (end !== -1) return [line.slice(0, end), line.slice(end + 2)]
  // Some servers leave out the last `;`.
  const blank = line.indexOf(' ')
  return blank !== -1 && line.slice(0, blank).includes('=') ? [line.slice(0, blank), line.slice(blank + 1)] : []
}

/** Maps facts to values. It is a Map, since a fact may be called `__proto__`. */
function factMap(text: string): ReadonlyMap<string, string> {
  const pairs = text.split(';').map((fact): [string, string] => {
    const equals = fact.indexOf('=')
    return equals === -1 ? ['', ''] : [fact.slice(0, equals).toLowerCase(), fact.slice(equals + 1)]
  })
  return new Map(pairs.filter(([name]) => name !== ''))
}

/**
 * Returns the kind that a type means. A link or device has a type of the operating system (RFC 3659 7.5.1); links are
 * `OS.unix=slink:/target` or `symlink`.
 */
function kindOf(type: string): ListedFile['kind'] {
  if (type === 'file') return 'file'
  if (type === 'dir') return 'directory'
  return /^os\.unix=(?:slink|symlink)\b/.test(type) ? 'link' : 'other'
}

function details(facts: ReadonlyMap<string, string>): Readonly<Record<string, string>> {
  const shown = [...facts].filter(([name]) => name !== 'size' && name !== 'modify' && name !== 'type')
  const target = /^OS\.unix=slink:(.+)$/is.exec(facts.get('type') ?? '')?.[1]
  return Object.fromEntries(target === undefined ? shown : [...shown, ['target', target]])
}

/** Reads `YYYYMMDDHHMMSS` with any fraction, in UTC (RFC 3659 2.3). Returns undefined for text that is no date. */
export function readTime(text: string): Date | undefined {
  const [, digits, fraction = ''] = /^(\d{14})(?:\.(\d+))?$/.exec(text) ?? []
  if (digits === undefined) return undefined
  const part = (from: number, to: number): number => Number(digits.slice(from, to))
  const time = timeOfDay(part(8, 10), part(10, 12), part(12, 14), fraction)
  return utcDate(part(0, 4), part(4, 6), part(6, 8), time)
}

/** Reads a count of octets. Returns undefined for other text, or if a number cannot hold the count exactly. */
export function safeSize(digits: string): number | undefined {
  return /^\d{1,15}$/.test(digits) ? Number(digits) : undefined
}
