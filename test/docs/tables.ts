import { builtinSchemes, type ErrorCode, errorCodes, findingCodes, type Scheme } from '@retriever/core'
import { builtinMechanisms } from '@retriever/fetchers'
import { exitsByOption } from '../../packages/cli/src/exit-codes.ts'
import type { Schema } from '../../packages/cli/src/results/schema.ts'
import { errorMeanings } from '../../packages/core/src/error-meanings.ts'
import { retrieve } from '../support/cli/run.ts'
import { pageOf } from './scheme-pages.ts'

/** Documentation that follows from the tables in the code, so that it cannot be wrong. `pnpm run docs` writes it. */

export function schemeTable(pages: string): string {
  const rows = builtinSchemes.map((scheme) => [
    `[${scheme.name}](${pages}${pageOf(scheme.name)})`,
    scheme.title,
    scheme.defaultPort === null ? '-' : `${scheme.defaultPort}${scheme.tls === 'none' ? '' : ', TLS'}`,
    retrieved(scheme),
  ])
  return table(['Scheme', 'What it is', 'Port', 'Retrieved'], rows)
}

function retrieved({ mechanism, handoff, session }: Scheme): string {
  if (session) return 'opens a session'
  if (handoff) return 'names the program to run'
  return builtinMechanisms.includes(mechanism) ? 'yes' : 'explained only'
}

export function errorsPage(): string {
  const rows = Object.entries(errorCodes).map(([code, { exit }]) => [
    `\`${code}\``,
    String(exit),
    errorMeanings[code as ErrorCode],
  ])
  return page(
    'Errors',
    `Every failure is a \`RetrievalError\`. It has a \`code\` of this table, the \`phase\` in which it happened and the \`url\`
without its password; if they exist, also the server's \`reply\`, the HTTP \`status\` and the \`cause\`. The \`message\`
says what went wrong, where, and what to do next. The list of codes is closed: a new code is a new major version.`,
    table(['Code', 'Exit status', 'When'], rows),
    '## Advice',
    `If an option of the library may help, the message names it in backquotes, and the error says the same as data:
\`error.advice\` is \`{ option: 'policy.allowPorts', value: 25 }\` if the message says \`policy.allowPorts: [25]\`. So a
program with options of its own can name those instead, as the command does with \`--allow-port 25\`. Findings and the
event \`remark\` have \`advice\` too.`,
    wrapped(
      'An option is named by its path: `base`, `limits.maxSize`, `http.compressed`. The [guide](library.md#options) lists them. `error.response` is the property of the error that says more.',
    ),
    '## Phases',
    'In order: `resolve`, `policy` (nothing was contacted until here), `lookup`, `connect`, `tls`, `greeting`, `login`,\n`request`, `body`, `save`.',
    '## Findings',
    `A finding is a remark on a URL, made before anything is contacted. Its severity is one of three:

- \`notice\`: shown by \`explain\` and \`-v\`.
- \`warning\`: one line on standard error.
- \`danger\`: refused with the code \`refused\`, unless \`policy.allow\` (in the command, \`--allow CODE\`) names it;
  \`encoded-delimiter\` cannot be allowed.`,
    table(
      ['Finding', 'Severity'],
      Object.entries(findingCodes).map(([code, severity]) => [`\`${code}\``, severity]),
    ),
  )
}

export function exitCodesPage(): string {
  const byExit = new Map<number, string[]>([
    [0, ['success']],
    [2, ['a wrong option or argument']],
  ])
  for (const [code, { exit }] of Object.entries(errorCodes)) {
    byExit.set(exit, [...(byExit.get(exit) ?? []), `\`${code}\``])
  }
  const causes = new Map<number, Map<string, string[]>>()
  for (const [option, exits] of Object.entries(exitsByOption)) {
    for (const [code, exit] of Object.entries(exits)) {
      const options = causes.get(exit) ?? new Map<string, string[]>()
      causes.set(exit, options.set(code, [...(options.get(code) ?? []), `\`${option}\``]))
    }
  }
  for (const [exit, options] of causes) {
    const because = [...options].map(([code, names]) => `\`${code}\` because of ${names.join(', ')}`)
    byExit.set(exit, [...(byExit.get(exit) ?? []), ...because])
  }
  const rows = [...byExit].sort(([a], [b]) => a - b).map(([exit, meanings]) => [String(exit), meanings.join(', ')])
  return page(
    'Exit status',
    'The numbers are those of curl for the same errors. With several URLs, the exit status is that of the first one that\nfailed, or with `--exit-worst` of the worst. An HTTP status of 400 and above is 22, whatever its code; but 401, and 407\nof a proxy, are 67, and 416 for a range is 33. A signal that ends the command gives 128 and its number: 129 for SIGHUP,\n130 for SIGINT (Ctrl-C), 143 for SIGTERM; but 0 if the command runs until a signal comes: `gateway`, `serve`\nwithout a command, and `queue work` without `--until-done`. If the reader of standard output goes, as `head` does, the\nstatus is that of an earlier failure, or 141 if files had not come yet, or else 0.',
    `After a signal, a timeout (28) or a cut body (18, 56), a file keeps what came as \`NAME.part\`, and one line says how to
go on: see the [FAQ](faq.md#how-does--c-know-that-the-version-is-the-same).`,
    '[errors.md](errors.md) says what each code means.',
    table(['Status', 'Code'], rows),
  )
}

/** The text between the markers of a generated part, replaced. */
export function fillIn(document: string, name: string, content: string): string {
  const begin = `<!-- generated: ${name} -->`
  const end = `<!-- end: ${name} -->`
  const [head, rest] = document.split(begin)
  const tail = rest?.split(end)[1]
  if (head === undefined || tail === undefined) throw new Error(`The markers of "${name}" are missing.`)
  return `${head}${begin}\n${content}\n${end}${tail}`
}

/** A session of `retrieve explain` with one URL. */
const session = /(```console\n\$ retrieve explain '([^']+)'\n)[\s\S]*?```/g

/** The document with what the command prints for each `retrieve explain` in it. */
export async function runExamples(document: string): Promise<string> {
  const urls = [...document.matchAll(session)].map(([, , url = '']) => url)
  if (urls.length === 0) return document
  const { stdout } = await retrieve(['explain', ...urls])
  // An empty line stands between two explanations.
  const printed = stdout.replace(/\n$/, '').split('\n\n')
  if (printed.length !== urls.length) throw new Error(`${urls.length} URLs have ${printed.length} explanations`)
  return document.replace(session, (_, head: string) => `${head}${printed.shift()}\n\`\`\``)
}

/** The members of an object of --json. */
export function memberTable({ properties = {} }: Schema): string {
  const rows = Object.entries(properties).map(([name, member]) => {
    const inner = Object.keys(member.properties ?? member.items?.properties ?? {})
    const notes = [member.description, listed('one of', member.enum), listed('members:', inner)]
    return [`\`${name}\``, [member.type].flat().join(' or '), notes.filter((note) => note !== undefined).join('; ')]
  })
  return table(['Member', 'Type', ''], rows)
}

function listed(head: string, words: readonly string[] = []): string | undefined {
  return words.length === 0 ? undefined : `${head} ${words.map((word) => `\`${word}\``).join(', ')}`
}

/** In lines of at most 118 characters. */
export function wrapped(text: string): string {
  return text.replace(/(.{1,118})(?: |$)/g, '$1\n').trimEnd()
}

export function page(title: string, ...parts: readonly string[]): string {
  return `# ${title}\n\n${parts.join('\n\n')}\n`
}

export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n')
}
