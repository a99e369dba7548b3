import { clock, fullYear, monthNumber, utcDate } from '../../plugin/calendar.ts'
import { head, safeSize } from './line-words.ts'
import { known, type LineReading, type ListedFile } from './listed-file.ts'

/** `NAME.EXT;1`, and CMU's `[DIR.SUB]NAME.EXT;1`. */
const nameStart = /^([^ \t;]{1,255});(\d{1,5})(?=[ \t]|$)/
const datePattern =
  /(?:^|[ \t])((\d\d?)-([A-Z]{3})-(\d{4}|\d\d)(?:[ \t]+(\d\d?:\d\d(?::\d\d(?:\.\d+)?)?))?)(?=[ \t]|$)/i
const blocksPattern = /(?:^|[ \t])(\d{1,12})(?:\/(\d{1,12}))?(?=[ \t]|$)/
const ownerPattern = /[ \t](\[[^\] \t]*\]?)/
const protectionPattern = /\([A-Z,]*\)/i

/** `README.FTP;1        %RMS-E-PRV, insufficient privilege or file protection violation`, in MultiNet's and other servers' words. */
const complaint = /^[ \t]*(?:<?%|(?:no|insufficient) privilege)/i

/**
 * `NAME.EXT;1   1/3   15-JAN-1997 12:34:56 [GROUP,OWNER] (RWED,RWED,RE,)`: a VMS directory as UCX has it; MultiNet has no second number,
 * TGV's and TCPware's neither owner nor protection, others another order. Sizes are in blocks of 512 octets, and what the last one
 * holds is not told.
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

/** A directory is changed to without `.DIR;1`; a file's version is part of its name. */
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

/** `Directory DISK$USER:[ANN]`, MultiNet's `USR:[ANONYMOUS]`. */
const headline = /^(?:Directory [^ \t[]*|[A-Z0-9$_-]+:)\[[^ \t]*\][ \t]*$/i
/** `Total of 3 files, 5/9 blocks.`, `Total of 925 blocks in 8 files.`, `Grand total of 2 directories, 4 files, 30/40 blocks.` */
const total = /^(?:Grand )?Total(?: of)? \d[\d,]* (?:files?|blocks?|director(?:y|ies))\b/i

/** What stands on the lines below a name that is too long for its column, or is left of them. */
const continuation =
  /^[ \t]*(?:\d{1,12}(?:\/\d{1,12})?[ \t]+\d\d?-[A-Z]{3}-|\d\d?-[A-Z]{3}-\d\d|\[[^\] \t]*\](?:[ \t]|$)|\([A-Z,]*\)[ \t]*$)|^[ \t]+%/i

/**
 * Joins what VMS has put on two lines or three: a long name, its fields, its protection. Knows no more than the one entry that is open;
 * whatever does not go on with it begins a new one.
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

/** An entry of VMS in whose head there is room, and no protection yet, which is always the last. */
function isOpen(line: string): boolean {
  return head(line).length === line.length && nameStart.test(line) && !protectionPattern.test(line)
}
