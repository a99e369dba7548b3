import type { Accounts } from '../accounts.ts'
import { wholeBody } from '../body.ts'
import type { Connection } from '../connection.ts'
import { Lines } from '../lines.ts'
import type { Listener } from '../listener.ts'
import { commandLine, recorded } from '../request.ts'
import { dotBlock } from '../text.ts'
import type { Article } from './articles.ts'
import { commands, type NntpCommand } from './commands.ts'
import type { Group } from './groups.ts'
import { beforeReader, type Kind, knows } from './kinds.ts'
import type { Login } from './login.ts'

export interface NntpSettings {
  readonly kind: Kind
  readonly overviews: boolean
  readonly logins: readonly Login[]
  readonly groups: readonly Group[]
  readonly authRequired: boolean
  /** The names of the groups that need a login. */
  readonly private: ReadonlySet<string>
  /** Whether anything needs a login. */
  readonly login: boolean
  readonly explicitTls: boolean
  readonly accounts: Accounts
}

/** The reply to a command that needs a login (RFC 4643, 2.2). */
export const LOGIN_FIRST = '480 Authentication required'

/** Commands that need no login; all others get 480. */
const OPEN: ReadonlySet<string> = new Set(['CAPABILITIES', 'MODE', 'AUTHINFO', 'STARTTLS', 'HELP', 'DATE', 'QUIT'])

/** Commands that a stall at 'response' still answers, since a client only prepares its request with them. */
const SETUP: ReadonlySet<string> = new Set(['CAPABILITIES', 'MODE', 'AUTHINFO', 'STARTTLS', 'GROUP'])

/** One connection and what it remembers: the group, the current article, the login. */
export class NntpSession {
  readonly connection: Connection
  readonly settings: NntpSettings
  readonly lines: Lines
  /** False on a transit server until MODE READER. */
  reader: boolean
  group: Group | undefined
  current: Article | undefined
  user: string | undefined
  loggedIn = false
  #quit = false

  constructor(connection: Connection, server: Listener, settings: NntpSettings) {
    this.connection = connection
    this.settings = settings
    this.reader = settings.kind !== 'transit'
    this.lines = new Lines(connection.stream, {
      end: 'crlf',
      onLine: (line) => server.record(recorded(connection, commandLine(line))),
    })
  }

  async run(): Promise<void> {
    if (this.connection.faults.stall === 'greeting') return this.connection.stall()
    if (!(await this.connection.sendFault('greeting'))) await this.reply('200 Retriever test server ready, no posting')
    for (let answered = 0; !this.#quit && answered < (this.connection.faults.closeAfter ?? Infinity); answered++) {
      const line = await this.lines.next()
      if (line === undefined) break
      await this.#answer(line)
    }
  }

  /** Reads no further command after the present one. */
  quit(): void {
    this.#quit = true
  }

  /** Whether this group needs a login that has not been made. */
  closed(group: string): boolean {
    return this.settings.private.has(group) && !this.loggedIn
  }

  async reply(line: string): Promise<void> {
    if (await this.connection.sendFault(line.slice(0, 3))) return
    await this.connection.send(`${line}\r\n`)
  }

  /** Sends a reply and a multi-line data block. Each line of the text ends in CRLF or LF; dots are doubled here. */
  async block(line: string, text: string): Promise<void> {
    await this.reply(line)
    if (!(await this.connection.sendBody(wholeBody(dotBlock(text))))) this.quit()
  }

  async #answer(line: string): Promise<void> {
    const [verb = '', ...words] = line.split(/[ \t]+/)
    const name = verb.toUpperCase()
    if (await this.#answerFault(line, name)) return
    const command: NntpCommand | undefined = Object.hasOwn(commands, name) ? commands[name] : undefined
    if (!command || !knows(this, name)) return this.reply('500 Unknown command')
    const refusal = beforeReader(this, name)
    if (refusal !== undefined) return this.reply(refusal)
    if (this.settings.authRequired && !this.loggedIn && !OPEN.has(name)) return this.reply(LOGIN_FIRST)
    await command(this, words)
  }

  async #answerFault(line: string, verb: string): Promise<boolean> {
    const { stall } = this.connection.faults
    if ((stall === 'login' && verb === 'AUTHINFO') || (stall === 'response' && !SETUP.has(verb))) {
      await this.connection.stall()
      this.quit()
      return true
    }
    const reply = this.connection.takeFault(line, verb)
    if (reply === undefined) return false
    // RFC 3977, 3.2.1: after 400 the connection ends.
    if (reply === '' || reply.startsWith('400')) this.quit()
    if (reply !== '') await this.connection.send(reply)
    return true
  }
}
