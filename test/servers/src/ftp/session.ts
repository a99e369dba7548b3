import type { Accounts } from '../accounts.ts'
import type { Connection } from '../connection.ts'
import { normalize, type Tree } from '../files/tree.ts'
import { Lines } from '../lines.ts'
import type { Listener } from '../listener.ts'
import { commandLine, recorded } from '../request.ts'
import { type Command, commands } from './commands.ts'
import { DataPort } from './data-port.ts'
import { withoutTelnet } from './telnet.ts'

export interface FtpSettings {
  readonly tree: Tree
  readonly nullCwd: 'stay' | 'refuse'
  readonly home: string
  readonly explicitTls: boolean
  readonly sessionReuse: boolean
  readonly anonymous: boolean
  readonly accounts: Accounts
  /** The user who must also send an account. */
  readonly wantsAccount: string | undefined
}

/** Commands that need no login. */
const OPEN: ReadonlySet<string> = new Set('USER PASS ACCT QUIT FEAT HELP NOOP SYST OPTS AUTH PBSZ PROT ABOR'.split(' '))

/** One control connection: it reads command lines, sends replies, and remembers what commands need between them. */
export class FtpSession {
  readonly connection: Connection
  readonly server: Listener
  readonly settings: FtpSettings
  readonly lines: Lines
  user: string | undefined
  account: 'none' | 'wanted' | 'given' = 'none'
  loggedIn = false
  cwd: string
  type: 'A' | 'I' = 'A'
  restart = 0
  facts: readonly string[] = ['type', 'size', 'modify', 'unix.mode']
  data: DataPort | undefined
  dataTls: boolean
  epsvOnly = false
  #quit = false
  /** How many commands wait for their answer, and how many of these are transfers. */
  #pending = 0
  #transfers = 0

  constructor(connection: Connection, server: Listener, settings: FtpSettings) {
    this.connection = connection
    this.server = server
    this.settings = settings
    this.dataTls = connection.tls
    this.cwd = settings.home
    this.lines = new Lines(connection.stream, {
      end: 'crlf',
      onLine: (line) => this.#arrived(line),
      accepts: () => this.#accepts(),
    })
  }

  async run(): Promise<void> {
    const gone = (): void => this.data?.close()
    this.connection.raw.once('close', gone)
    try {
      if (this.connection.faults.stall === 'greeting') return await this.connection.stall()
      if (!(await this.connection.sendFault('greeting'))) await this.reply(220, 'Retriever test server ready.')
      while (!this.#quit) {
        const line = await this.lines.next()
        if (line === undefined) break
        const command = withoutTelnet(line)
        await this.#answer(command)
        this.#pending--
        if (TRANSFERS.has(verbOf(command))) this.#transfers--
      }
    } finally {
      this.data?.close()
    }
  }

  /** Sends `220 text`, or `211-first`, the inner lines and `211 last` (RFC 959, 4.2). */
  async reply(code: number, text: string, inner?: readonly string[], last?: string): Promise<void> {
    // RFC 959, 4.2: after 421 the control connection ends.
    if (code === 421) this.quit()
    if (await this.connection.sendFault(String(code))) return
    const body = (inner ?? []).map((line) => ` ${line}\r\n`).join('')
    await this.connection.send(inner ? `${code}-${text}\r\n${body}${code} ${last ?? 'End'}\r\n` : `${code} ${text}\r\n`)
  }

  /** Reads no further command after the present one. */
  quit(): void {
    this.#quit = true
  }

  /** A pathname, made absolute. */
  path(argument: string): string {
    return normalize(argument.startsWith('/') ? argument : `${this.cwd}/${argument}`)
  }

  openData(): DataPort {
    this.data?.close()
    this.data = new DataPort(this.connection, this.server, this.dataTls)
    return this.data
  }

  async #answer(line: string): Promise<void> {
    const verb = verbOf(line)
    const argument = line.length > verb.length ? line.slice(verb.length + 1) : undefined
    if (await this.#answerFault(line, verb)) return
    const command: Command | undefined = Object.hasOwn(commands, verb) ? commands[verb] : undefined
    if (!command) return this.reply(500, `${verb.slice(0, 20)}: command not understood.`)
    if (!this.loggedIn && !OPEN.has(verb)) return this.reply(530, 'Please log in with USER and PASS.')
    await command(this, argument)
    // RFC 3659, 5: REST applies only to the next transfer. Commands that prepare the data connection may come between.
    if (!['REST', 'EPSV', 'PASV'].includes(verb)) this.restart = 0
  }

  async #answerFault(line: string, verb: string): Promise<boolean> {
    const { stall } = this.connection.faults
    if ((stall === 'login' && verb === 'PASS') || (stall === 'response' && TRANSFERS.has(verb))) {
      await this.connection.stall()
      this.quit()
      return true
    }
    const reply = this.connection.takeFault(line, verb)
    if (reply === undefined) return false
    if (reply === '' || reply.startsWith('421')) this.quit()
    if (reply !== '') await this.connection.send(reply)
    return true
  }

  #arrived(line: string): void {
    const command = withoutTelnet(line)
    this.server.record(recorded(this.connection, { ...commandLine(command), line }))
    const verb = verbOf(command)
    if (TRANSFERS.has(verb)) this.#transfers++
    // RFC 959, 4.1.3: ABOR affects the running transfer, so it is answered out of turn.
    if (verb === 'ABOR') this.data?.abort()
    const passive = verb === 'EPSV' || verb === 'PASV'
    if (passive && this.#transfers > 0 && this.connection.faults.dropOnEpsv) this.data?.drop()
  }

  /** Whether the server takes one more command. */
  #accepts(): boolean {
    const { oneAtATime } = this.connection.faults
    const early = oneAtATime !== undefined && this.#pending > 0
    if (early && oneAtATime === 'close') this.connection.destroy()
    if (!early) this.#pending++
    return !early
  }
}

function verbOf(line: string): string {
  return line.split(' ', 1)[0]?.toUpperCase() ?? ''
}

const TRANSFERS: ReadonlySet<string> = new Set(['RETR', 'LIST', 'NLST', 'MLSD'])
