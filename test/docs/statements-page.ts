import { type Chapter, readChapters, type Statement } from '../rfc1738/statements.ts'
import { page, table } from './tables.ts'

/** docs/rfc1738.md: how many statements of RFC 1738 and uri(7) hold, and where Retriever differs, and why. */
export function statementsPage(): string {
  const chapters = readChapters()
  const count = (list: readonly Chapter[]): number => list.flatMap(({ statements }) => statements).length
  const differing = chapters.map((chapter) => ({
    ...chapter,
    statements: chapter.statements.filter(({ reason }) => reason !== null),
  }))
  return page(
    'What RFC 1738 and uri(7) say',
    `RFC 1738, the manual page uri(7) and two older guides make ${count(chapters)} statements about URLs and the programs that read
them. Retriever does what ${count(chapters) - count(differing)} of them say, and has a reason where it does otherwise (${count(differing)}): these are below.
\`test/rfc1738/statements\` has all of them, with what their command lines print.`,
    ...differing.filter(({ statements }) => statements.length > 0).map(section),
  )
}

function section({ title, statements }: Chapter): string {
  const rows = statements.map((each) => [says(each), commands(each), cell(each.reason ?? '')])
  return `## ${title}\n\n${table(['Statement', 'Command', 'Why'], rows)}`
}

const says = ({ source, says: text }: Statement): string => cell(`${source}: ${text}`)

const commands = ({ sessions }: Statement): string => sessions.map(({ line }) => code(`retrieve ${line}`)).join('<br>')

/** A command line in a cell of a table. */
export function code(text: string): string {
  const fence = text.includes('`') ? '``' : '`'
  const visible = text.includes('\t') ? text.replace("'", "$$'").replaceAll('\t', '\\t') : text
  return `${fence}${visible.replaceAll('|', '\\|')}${fence}`
}

/** A sentence in a cell of a table. Its words in backquotes stay code; all else is escaped. */
function cell(text: string): string {
  return text.replace(/`[^`]*`|[\\`*_{}[\]<>|]/g, (found) => (found.length > 1 ? found : `\\${found}`))
}
