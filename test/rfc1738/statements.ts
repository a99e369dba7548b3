/** The statements of statements/*.txt. */
import { readdirSync, readFileSync } from 'node:fs'

/** What a source says, and the sessions that show it. */
export interface Statement {
  /** The source with its section: `RFC 1738 2.1`. */
  readonly source: string
  readonly says: string
  readonly sessions: readonly Session[]
  /** Why Retriever does otherwise. */
  readonly reason: string | null
}

export interface Session {
  /** The command line, without `retrieve`. */
  readonly line: string
  readonly status: number
  /** Each is in what is printed, white space folded. */
  readonly seen: readonly string[]
  readonly unseen: readonly string[]
  /** What is typed on a terminal behind each prompt; null: there is no terminal. */
  readonly typed: Readonly<Record<string, string>> | null
}

export interface Chapter {
  readonly title: string
  readonly statements: readonly Statement[]
}

const folder = new URL('./statements/', import.meta.url)

/** Each file: a title, then statements with an empty line between them. README.md explains their lines. */
export function readChapters(): readonly Chapter[] {
  return readdirSync(folder)
    .sort()
    .map((name) => {
      const [title = '', ...blocks] = readFileSync(new URL(name, folder), 'utf8')
        .trim()
        .split(/\n{2,}/)
      return { title, statements: blocks.map(readStatement) }
    })
}

function readStatement(block: string): Statement {
  const [head = '', ...lines] = block.split('\n')
  const colon = head.indexOf(': ')
  const sessions: Session[] = []
  let reason: string | null = null
  for (const line of lines) {
    const last = sessions.at(-1)
    const [, mark = '', rest = ''] = /^(\$ retrieve|exit|type|>|-|!) (.*)$/.exec(line) ?? []
    if (mark === '$ retrieve') sessions.push({ line: rest, status: 0, seen: [], unseen: [], typed: null })
    else if (mark === '!') reason = rest
    else if (last === undefined || mark === '') throw new Error(`Not a line of a statement: ${line}`)
    else sessions[sessions.length - 1] = withLine(last, mark, rest)
  }
  if (colon === -1 || sessions.length === 0) throw new Error(`Not a statement: ${block}`)
  return { source: head.slice(0, colon), says: head.slice(colon + 2), sessions, reason }
}

function withLine(session: Session, mark: string, rest: string): Session {
  if (mark === 'exit') return { ...session, status: Number(rest) }
  if (mark === '>') return { ...session, seen: [...session.seen, rest] }
  if (mark === '-') return { ...session, unseen: [...session.unseen, rest] }
  const { prompt, answer } = JSON.parse(rest)
  return { ...session, typed: { ...session.typed, [prompt]: answer } }
}

/** The words of a line as a shell reads them: plain ones, and ones in quotes. */
export function words(line: string): readonly string[] {
  return [...line.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(
    ([, single, double, plain]) => single ?? double ?? plain ?? '',
  )
}
