import { type Chapter, readChapters, type Session, type Statement } from '../rfc1738/statements.ts'
import { page, table } from './tables.ts'

/** docs/rfc1738.md: what RFC 1738 and uri(7) say, each with the sessions that show it. */
export function statementsPage(): string {
  const chapters = readChapters()
  const statements = chapters.flatMap((chapter) => chapter.statements)
  const differing = statements.filter(({ reason }) => reason !== null).length
  return page(
    'What RFC 1738 and uri(7) say',
    `RFC 1738, the manual page uri(7) and two older guides make ${statements.length} statements about URLs and the programs that read
them. Retriever does what ${statements.length - differing} of them say, and has a reason where it does otherwise (${differing}). The tests run each
command line, and look for words of its output (\`test/rfc1738/statements\`). The ports are those of \`retrieve serve\`;
\`{files}\` is the folder \`test/rfc1738/files\`, in which the commands run. \`pnpm run docs\` writes this page.`,
    ...chapters.map(section),
  )
}

function section({ title, statements }: Chapter): string {
  const follows = statements.filter(({ reason }) => reason === null)
  const differs = statements.filter(({ reason }) => reason !== null)
  return [
    `## ${title}`,
    table(
      ['Statement', 'Command'],
      follows.map((each) => [says(each), commands(each)]),
    ),
    ...(differs.length === 0
      ? []
      : [
          table(
            ['Retriever differs', 'Command', 'What is seen', 'Why'],
            differs.map((each) => [says(each), commands(each), seen(each), cell(each.reason ?? '')]),
          ),
        ]),
  ].join('\n\n')
}

const says = ({ source, says: text }: Statement): string => cell(`${source}: ${text}`)

const commands = ({ sessions }: Statement): string => sessions.map(({ line }) => code(`retrieve ${line}`)).join('<br>')

const seen = ({ sessions }: Statement): string => sessions.map(outcome).join('<br>')

function outcome({ status, seen, unseen }: Session): string {
  const parts = [...seen.map(code), ...unseen.map((text) => `not ${code(text)}`)]
  return `${parts.join(', ')}${status === 0 ? '' : ` (exit ${status})`}`
}

/** In a cell of a table. */
function code(text: string): string {
  const fence = text.includes('`') ? '``' : '`'
  const visible = text.includes('\t') ? text.replace("'", "$$'").replaceAll('\t', '\\t') : text
  return `${fence}${visible.replaceAll('|', '\\|')}${fence}`
}

function cell(text: string): string {
  return text.replace(/[\\`*_{}[\]<>|]/g, '\\$&')
}
