import { isAccount, seedAccounts } from '../accounts.ts'
import type { ServerConnection } from '../server-connection.ts'
import { Command, readCommand, type Word } from './command.ts'
import { itemsOf } from './fetch.ts'
import { inSet, type Message, messagesOf, namesFor, uidValidity } from './mailboxes.ts'
import { found } from './search.ts'
import type { ImapServerOptions } from './server.ts'

/** The session of one connection. */
export class ImapSession {
  readonly #connection: ServerConnection
  readonly #options: ImapServerOptions
  #isIn = false
  #messages: readonly Message[] = []

  constructor(connection: ServerConnection, options: ImapServerOptions) {
    this.#connection = connection
    this.#options = options
  }

  async run(): Promise<void> {
    const connection = this.#connection
    if (!(await connection.sendFault('greeting')))
      await connection.send(`* OK [CAPABILITY ${this.#capabilities()}] ready\r\n`)
    for (let line = await connection.readLine(); line !== undefined; line = await connection.readLine()) {
      if (await connection.sendFault(line, new Command(line, []).verb)) continue
      const command = await readCommand(connection, line)
      if (command === undefined || !(await this.#answer(command))) return
    }
  }

  /** Answers a command. Resolves to false if the connection is over. */
  async #answer(command: Command): Promise<boolean> {
    const { tag, verb } = command
    const { stall } = this.#connection.faults
    if (
      (/^(?:LOGIN|AUTHENTICATE)$/.test(verb) && stall === 'login') ||
      (/FETCH|LIST/.test(verb) && stall === 'response')
    ) {
      await this.#connection.stall()
      return false
    }
    switch (verb) {
      case 'CAPABILITY':
        return this.#done(command, `* CAPABILITY ${this.#capabilities()}\r\n`)
      case 'NOOP':
      case 'CHECK':
        return this.#done(command)
      case 'LOGOUT':
        await this.#done(command, '* BYE see you\r\n')
        return false
      case 'STARTTLS':
        if (this.#options.tls !== 'explicit') return this.#say(`${tag} BAD no TLS here`)
        await this.#connection.startTls(`${tag} OK begin\r\n`)
        return true
      case 'AUTHENTICATE':
        return this.#authenticate(command)
      case 'LOGIN': {
        const [user, password] = command.words
        if (!this.#logins.includes('login')) return this.#say(`${tag} NO [PRIVACYREQUIRED] not that way`)
        return this.#logIn(tag, String(user ?? ''), String(password ?? ''))
      }
    }
    return this.#isIn ? this.#answerInside(command) : this.#say(`${tag} BAD log in first`)
  }

  async #answerInside(command: Command): Promise<boolean> {
    const { tag, verb, words, isUid } = command
    const [first = '', second] = words
    switch (verb) {
      case 'LIST':
      case 'LSUB':
        return this.#list(command, String(second ?? ''))
      case 'SELECT':
      case 'EXAMINE':
        return this.#open(command, String(first))
      case 'CLOSE':
      case 'UNSELECT':
        this.#messages = []
        return this.#done(command)
      case 'STATUS':
        return this.#status(command, String(first), second)
      case 'SEARCH': {
        const messages = found(this.#messages, words)
        if (messages === undefined) return this.#say(`${tag} BAD unknown key`)
        const numbers = messages.map(({ uid, number }) => ` ${isUid ? uid : number}`)
        return this.#done(command, `* SEARCH${numbers.join('')}\r\n`)
      }
      case 'FETCH':
        return this.#fetch(command, String(first), second)
      default:
        return this.#say(`${tag} BAD unknown command`)
    }
  }

  get #logins(): readonly string[] {
    return this.#options.logins ?? ['login', 'plain']
  }

  #capabilities(): string {
    const { tls, initialResponse = true } = this.#options
    return [
      'IMAP4rev1',
      ...(tls === 'explicit' ? ['STARTTLS'] : []),
      ...(this.#logins.includes('login') ? [] : ['LOGINDISABLED']),
      ...(this.#logins.includes('plain') ? ['AUTH=PLAIN'] : []),
      ...(this.#logins.includes('anonymous') ? ['AUTH=ANONYMOUS'] : []),
      ...(initialResponse && this.#logins.some((way) => way !== 'login') ? ['SASL-IR'] : []),
    ].join(' ')
  }

  /**
   * Answers AUTHENTICATE (RFC 3501 6.2.2) by PLAIN (RFC 4616) or ANONYMOUS (RFC 4505). The message stands in the
   * command (RFC 4959) or follows it.
   */
  async #authenticate({ tag, words }: Command): Promise<boolean> {
    const [mechanism = '', given] = words.map(String)
    if (!this.#logins.some((way) => way !== 'login' && way === mechanism.toLowerCase()))
      return this.#say(`${tag} NO no such mechanism`)
    if (given !== undefined && this.#options.initialResponse === false) return this.#say(`${tag} BAD one word too many`)
    if (given === undefined) await this.#connection.send('+ \r\n')
    const message = given ?? (await this.#connection.readLine()) ?? ''
    if (mechanism.toUpperCase() === 'ANONYMOUS') {
      this.#isIn = true
      return this.#say(`${tag} OK welcome`)
    }
    const [, user = '', password = ''] = Buffer.from(message, 'base64').toString('latin1').split('\0')
    return this.#logIn(tag, user, password)
  }

  #logIn(tag: string, user: string, password: string): Promise<boolean> {
    this.#isIn = isAccount(this.#options.accounts ?? seedAccounts, user, password)
    return this.#say(this.#isIn ? `${tag} OK in` : `${tag} NO [AUTHENTICATIONFAILED] wrong user or password`)
  }

  #list(command: Command, pattern: string): Promise<boolean> {
    // An empty pattern asks only for the delimiter (RFC 3501 6.3.8).
    const names = pattern === '' ? [''] : namesFor(pattern)
    const flags = pattern === '' ? '\\Noselect' : '\\HasNoChildren'
    return this.#done(command, names.map((name) => `* ${command.verb} (${flags}) "/" "${name}"\r\n`).join(''))
  }

  #open(command: Command, name: string): Promise<boolean> {
    const messages = messagesOf(name)
    if (messages === undefined) return this.#say(`${command.tag} NO [NONEXISTENT] no such mailbox`)
    this.#messages = messages
    const facts = [
      'FLAGS (\\Seen)',
      `${messages.length} EXISTS`,
      '0 RECENT',
      `OK [UIDVALIDITY ${uidValidity}] valid`,
      `OK [UIDNEXT ${uidNext(messages)}] next`,
      'OK [PERMANENTFLAGS ()] none',
    ]
    const code = command.verb === 'SELECT' ? 'READ-WRITE' : 'READ-ONLY'
    return this.#say(`${facts.map((fact) => `* ${fact}\r\n`).join('')}${command.tag} OK [${code}] open`)
  }

  #status(command: Command, name: string, asked: Word | undefined): Promise<boolean> {
    const messages = messagesOf(name)
    if (messages === undefined) return this.#say(`${command.tag} NO [NONEXISTENT] no such mailbox`)
    const facts: Readonly<Record<string, number>> = {
      MESSAGES: messages.length,
      RECENT: 0,
      UIDNEXT: uidNext(messages),
      UIDVALIDITY: uidValidity,
      UNSEEN: 0,
    }
    const names = typeof asked === 'object' ? asked.map((word) => String(word).toUpperCase()) : []
    const known = names.filter((each) => Object.hasOwn(facts, each)).map((each) => `${each} ${facts[each]}`)
    return this.#done(command, `* STATUS "${name}" (${known.join(' ')})\r\n`)
  }

  async #fetch(command: Command, set: string, asked: Word | undefined): Promise<boolean> {
    const { tag, isUid } = command
    for (const message of inSet(this.#messages, set, isUid)) {
      const items = itemsOf(message, asked, isUid)
      if (items === undefined) return this.#say(`${tag} BAD unknown item`)
      let text = `* ${message.number} FETCH (`
      for (const [at, { head, content }] of items.entries()) {
        text += `${at === 0 ? '' : ' '}${head}`
        if (content === null) continue
        await this.#connection.send(text)
        text = ''
        if (!(await this.#connection.sendBody(content))) return false
      }
      await this.#connection.send(`${text})\r\n`)
    }
    return this.#done(command)
  }

  /** Sends the data, then says that the command is done; RFC 3501 7 wants words behind OK. */
  #done({ tag, verb }: Command, told: string = ''): Promise<boolean> {
    return this.#say(`${told}${tag} OK ${verb} completed`)
  }

  async #say(line: string): Promise<boolean> {
    await this.#connection.send(`${line}\r\n`)
    return true
  }
}

function uidNext(messages: readonly Message[]): number {
  return (messages.at(-1)?.uid ?? 0) + 1
}
