import type { ServerConnection } from '../server-connection.ts'

/** A word of a command: an atom with its section, a string, or a list in parentheses. */
export type Word = string | readonly Word[]

/** The longest literal and the deepest list. Anything beyond ends the connection. */
const LONGEST_LITERAL = 64 * 1024
const DEEPEST = 20

/** Until the words are read, NUL and an index stand for each literal; no command contains a NUL. */
const MARK = '\0'

/** One command of a client (RFC 3501 2.2.1), and its literals. */
export class Command {
  readonly tag: string
  /** The verb in capitals, without UID. */
  readonly verb: string
  /** Whether UID precedes the verb, so that the numbers are UIDs. */
  readonly isUid: boolean
  readonly #rest: string
  readonly #literals: readonly string[]

  constructor(line: string, literals: readonly string[]) {
    const [, tag = '*', uid, verb = '', rest = ''] = /^(\S+) (UID )?(\S+) ?(.*)$/is.exec(line) ?? []
    this.tag = tag
    this.isUid = uid !== undefined
    this.verb = verb.toUpperCase()
    this.#rest = rest
    this.#literals = literals
  }

  /** The words behind the verb. Throws a RangeError if they are nested too deeply or do not end. */
  get words(): readonly Word[] {
    const tokens = [...this.#rest.matchAll(TOKEN)]
    let at = 0
    const list = (depth: number): Word[] => {
      if (depth > DEEPEST) throw new RangeError('a list within too many lists')
      const words: Word[] = []
      for (let token = tokens[at++]; token !== undefined && token[0] !== ')'; token = tokens[at++]) {
        if (token[0] === '(') words.push(list(depth + 1))
        else words.push(this.#text(token))
      }
      return words
    }
    return list(0)
  }

  #text([text, quoted, literal]: RegExpExecArray): string {
    if (literal !== undefined) return this.#literals[Number(literal)] ?? ''
    return quoted === undefined ? text : quoted.replace(/\\(.)/g, '$1')
  }
}

/**
 * Matches `"a \" b"`, NUL 0 NUL for a literal, a parenthesis, or an atom such as `BODY.PEEK[HEADER.FIELDS (To)]<0.9>`.
 */
const TOKEN = /"((?:[^"\\]|\\.)*)"|\0(\d+)\0|[()]|[^\s()"\0[]+(?:\[[^\]]*\](?:<\d+\.\d+>)?)?|\[/g

/** Reads a command; undefined if the client has gone or sends too much. */
export async function readCommand(connection: ServerConnection, first: string): Promise<Command | undefined> {
  const literals: string[] = []
  let text = ''
  for (let line = first; ; ) {
    // RFC 7888: if a plus follows, the client does not wait for permission.
    const [all = '', size, plus] = /\{(\d{1,9})(\+)?\}$/.exec(line) ?? []
    if (size === undefined) return new Command(text + line, literals)
    if (Number(size) > LONGEST_LITERAL || literals.length >= DEEPEST) return undefined
    if (plus === undefined) await connection.send('+ go ahead\r\n')
    text += `${line.slice(0, line.length - all.length)}${MARK}${literals.length}${MARK}`
    literals.push(await connection.readOctets(Number(size)))
    const next = await connection.readLine()
    if (next === undefined) return undefined
    line = next
  }
}
