import { sendBody, wholeBody } from '../body.ts'
import type { Connection } from '../connection.ts'
import { Lines } from '../lines.ts'
import type { Listener } from '../listener.ts'
import { dotBlock } from '../text.ts'
import type { Article, Group } from './articles.ts'
import { commands, type NntpCommand } from './commands.ts'

/** Commands that need no login (RFC 4643, 2.2: 480 for the rest). */
const OPEN: ReadonlySet<string> = new Set(['CAPABILITIES', 'MODE', 'AUTHINFO', 'HELP', 'DATE', 'QUIT'])

/** Commands that a stall at 'response' lets pass: they come before what the client is after. */
const SETUP: ReadonlySet<string> = new Set(['CAPABILITIES', 'MODE', 'AUTHINFO', 'GROUP'])

/** One connection and what it remembers: the group, the current article, the login. */
export class NntpSession {
  readonly connection: Connection
  readonly authRequired: boolean
  group: Group | undefined
  current: Article | undefined
  user: string | undefined
  loggedIn = false
  readonly #lines: Lines
  #quit = false

  constructor(connection: Connection, server: Listener, authRequired: boolean) {
    this.connection = connection
    this.authRequired = authRequired
    this.#lines = new Lines(connection.stream, { end: 'crlf', onLine: (line) => server.received.push(line) })
  }

  async run(): Promise<void> {
    if (this.connection.faults.stall === 'greeting') return this.connection.stall()
    if (!(await this.connection.sendFault('greeting'))) await this.reply('200 Retriever test server ready, no posting')
    while (!this.#quit) {
      const line = await this.#lines.next()
      if (line === undefined) break
      await this.#answer(line)
    }
  }

  /** After this command no other is read. */
  quit(): void {
    this.#quit = true
  }

  async reply(line: string): Promise<void> {
    if (await this.connection.sendFault(line.slice(0, 3))) return
    await this.connection.send(`${line}\r\n`)
  }

  /** A reply with a multi-line data block after it: text in which every line ends in CRLF or LF, dots not yet doubled. */
  async block(line: string, text: string): Promise<void> {
    await this.reply(line)
    const { connection } = this
    const end = await sendBody(connection.stream, wholeBody(dotBlock(text)), connection.nextBody())
    if (end === 'whole') return
    this.quit()
    if (end === 'reset') await connection.reset()
    if (end === 'reset' || end === 'stalled') await connection.stall()
  }

  async #answer(line: string): Promise<void> {
    const [verb = '', ...words] = line.split(/[ \t]+/)
    const name = verb.toUpperCase()
    if (await this.#answerFault(line, name)) return
    const command: NntpCommand | undefined = Object.hasOwn(commands, name) ? commands[name] : undefined
    if (!command) return this.reply('500 Unknown command')
    if (this.authRequired && !this.loggedIn && !OPEN.has(name)) return this.reply('480 Authentication required')
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
    // RFC 3977, 3.2.1: 400 is followed by the end of the connection.
    if (reply === '' || reply.startsWith('400')) this.quit()
    if (reply !== '') await this.connection.send(reply)
    return true
  }
}
