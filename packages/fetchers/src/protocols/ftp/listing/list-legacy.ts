import { clock, fullYear, monthNumber, utcDate } from '../../../kit/text/calendar.ts'
import { safeSize } from './facts.ts'
import { head, known, type LineReading, type ListedFile } from './listed-file.ts'

/**
 * Reads EPLF, https://cr.yp.to/ftp/list/eplf.html: `+i8388621.29609,m824255902,/,<TAB>tdev`. Dates are seconds since
 * 1970, in UTC.
 */
export function readEplf(line: string): LineReading | undefined {
  const tab = line.indexOf('\t')
  if (!line.startsWith('+') || tab === -1) return undefined
  const facts = line.slice(1, tab).split(',')
  const number = (letter: string): number | undefined =>
    safeSize(facts.find((fact) => fact.startsWith(letter))?.slice(1) ?? '')
  const modified = new Date((number('m') ?? Number.NaN) * 1000)
  return {
    name: line.slice(tab + 1),
    kind: facts.includes('/') ? 'directory' : facts.includes('r') ? 'file' : 'other',
    ...known({ size: number('s'), modified: Number.isNaN(modified.getTime()) ? undefined : modified }),
  }
}

/** Matches `NAME.EXT;1`, and CMU's `[DIR.SUB]NAME.EXT;1`. */
const nameStart = /^([^ \t;]{1,255});(\d{1,5})(?=[ \t]|$)/
const datePattern =
  /(?:^|[ \t])((\d\d?)-([A-Z]{3})-(\d{4}|\d\d)(?:[ \t]+(\d\d?:\d\d(?::\d\d(?:\.\d+)?)?))?)(?=[ \t]|$)/i
const blocksPattern = /(?:^|[ \t])(\d{1,12})(?:\/(\d{1,12}))?(?=[ \t]|$)/
const ownerPattern = /[ \t](\[[^\] \t]*\]?)/
const protectionPattern = /\([A-Z,]*\)/i

/**
 * Matches what MultiNet and others write after a name that may not be read: `README.FTP;1        %RMS-E-PRV,
 * insufficient privilege or file protection violation`.
 */
const complaint = /^[ \t]*(?:<?%|(?:no|insufficient) privilege)/i

/**
 * Reads a line of a VMS directory: `NAME.EXT;1   1/3   15-JAN-1997 12:34:56 [GROUP,OWNER] (RWED,RWED,RE,)`, as UCX
 * writes it. MultiNet leaves out the second number, TGV and TCPware leave out owner and protection, and others use
 * another order. Sizes are in blocks of 512 octets, of which the last may be partly filled.
 */
export function readVms(line: string): LineReading | undefined {
  const [all, specification = '', version = ''] = nameStart.exec(head(line)) ?? []
  if (all === undefined) return headline.test(head(line)) || total.test(head(line)) ? 'skip' : undefined
  const fields = head(line).slice(all.length)
  const file = vmsName(specification, version)
  if (complaint.test(fields)) return { ...file, details: { message: fields.trim() } }
  const facts = vmsFacts(fields)
  const isVms = fields.trim() === '' || Object.keys(facts.details ?? {}).length > 0
  return isVms ? { ...file, ...facts } : undefined
}

/**
 * Returns the name and the kind. A directory loses `.DIR;1`, as CWD wants it; a file keeps its version, which is part
 * of its name.
 */
function vmsName(specification: string, version: string): Pick<ListedFile, 'name' | 'kind'> {
  const name = specification.slice(specification.lastIndexOf(']') + 1)
  return /.\.DIR$/i.test(name)
    ? { name: name.slice(0, -'.DIR'.length), kind: 'directory' }
    : { name: `${name};${version}`, kind: 'file' }
}

function vmsFacts(fields: string): Pick<ListedFile, 'modified' | 'details'> {
  const [, date, day = '', month = '', year = '', time = ''] = datePattern.exec(fields) ?? []
  const [, used = '', allotted = ''] = blocksPattern.exec(fields) ?? []
  const modified = utcDate(fullYear(year), monthNumber(month) ?? 0, Number(day), clock(time))
  const details = {
    blocks: safeSize(used),
    allocated: safeSize(allotted),
    date,
    owner: ownerPattern.exec(fields)?.[1]?.replace(/[[\]]/g, ''),
    permissions: protectionPattern.exec(fields)?.[0],
  }
  return { ...known({ modified }), details: known(details) }
}

/** Matches `Directory DISK$USER:[ANN]`, and MultiNet's `USR:[ANONYMOUS]`. */
const headline = /^(?:Directory [^ \t[]*|[A-Z0-9$_-]+:)\[[^ \t]*\][ \t]*$/i
/**
 * Matches `Total of 3 files, 5/9 blocks.`, `Total of 925 blocks in 8 files.`, `Grand total of 2 directories, 4 files,
 * 30/40 blocks.`
 */
const total = /^(?:Grand )?Total(?: of)? \d[\d,]* (?:files?|blocks?|director(?:y|ies))\b/i

/** Matches the rest of an entry whose name is too long for its column. The rest is on lines of its own. */
const continuation =
  /^[ \t]*(?:\d{1,12}(?:\/\d{1,12})?[ \t]+\d\d?-[A-Z]{3}-|\d\d?-[A-Z]{3}-\d\d|\[[^\] \t]*\](?:[ \t]|$)|\([A-Z,]*\)[ \t]*$)|^[ \t]+%/i

/**
 * Joins an entry that VMS writes on two or three lines: a long name, its fields, its protection. It holds at most one
 * entry; a line that does not belong to that entry begins a new one.
 */
export async function* joinVms(lines: AsyncIterable<string>): AsyncGenerator<string, void, void> {
  let open: string | undefined
  for await (const line of lines) {
    const joined = open !== undefined && continuation.test(head(line)) ? `${open} ${line}` : undefined
    if (open !== undefined && joined === undefined) yield open
    const next = joined ?? line
    open = isOpen(next) ? next : undefined
    if (open === undefined) yield next
  }
  if (open !== undefined) yield open
}

/**
 * Whether the entry may have another line: it is a VMS entry, its head has room, and its protection, always the last
 * part, is missing.
 */
function isOpen(line: string): boolean {
  return head(line).length === line.length && nameStart.test(line) && !protectionPattern.test(line)
}
