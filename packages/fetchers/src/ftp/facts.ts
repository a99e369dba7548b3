import type { ListedFile } from './entries.ts'

/**
 * One line of MLSD (RFC 3659 7.2): `type=file;size=27;modify=20010203040506; hello.txt`. The name begins after the first blank, and
 * may hold anything but `/`. Facts are in any case and order, unknown ones are kept.
 */
export function readFacts(line: string): ListedFile | 'skip' | 'unknown' {
  const [factText, name] = splitLine(line)
  if (factText === undefined || name === undefined || name === '') return 'unknown'
  const facts = factMap(factText)
  const type = facts.get('type')?.toLowerCase() ?? ''
  if (type === 'cdir' || type === 'pdir') return 'skip'
  const size = facts.get('size') ?? ''
  const modified = readTime(facts.get('modify') ?? '')
  return {
    name,
    kind: kindOf(type),
    ...(/^\d{1,15}$/.test(size) ? { size: Number(size) } : {}),
    ...(modified === undefined ? {} : { modified }),
    details: details(facts),
  }
}

/** The blank after the last `;`: a link's target may hold blanks, although RFC 3659 has none in facts. */
function splitLine(line: string): readonly [string?, string?] {
  if (line.startsWith(' ')) return ['', line.slice(1)]
  const end = line.indexOf('; ')
  if (end !== -1) return [line.slice(0, end), line.slice(end + 2)]
  // Without the last `;`, as a few servers write.
  const blank = line.indexOf(' ')
  return blank !== -1 && line.slice(0, blank).includes('=') ? [line.slice(0, blank), line.slice(blank + 1)] : []
}

/** A Map: `__proto__` is a fact's name like any other. */
function factMap(text: string): ReadonlyMap<string, string> {
  const pairs = text.split(';').map((fact): [string, string] => {
    const equals = fact.indexOf('=')
    return equals === -1 ? ['', ''] : [fact.slice(0, equals).toLowerCase(), fact.slice(equals + 1)]
  })
  return new Map(pairs.filter(([name]) => name !== ''))
}

/** 7.5.1: what is neither file nor directory has a type of the system's own; links are `OS.unix=slink:/target`, or `symlink`. */
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

/** 2.3: `YYYYMMDDHHMMSS` with any fraction, in UTC. Undefined for what is no date. */
export function readTime(text: string): Date | undefined {
  const [, ...parts] = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(?:\.(\d{1,9}))?$/.exec(text) ?? []
  const [year, month, day, hour, minute, second] = parts.map(Number)
  if (year === undefined || month === undefined || day === undefined) return undefined
  if (month < 1 || month > 12 || day < 1 || day > 31) return undefined
  const fraction = Math.floor(Number(`0.${parts[6] ?? 0}`) * 1000)
  return new Date(Date.UTC(year, month - 1, day, hour, minute, second, fraction))
}
