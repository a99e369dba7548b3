import { type Accounts, isAccount, seedAccounts } from '../accounts.ts'
import { Listener } from '../listener.ts'
import { accounts, type Checks, checkOptions, flag, listOf } from '../options.ts'
import { messages } from '../pop3/messages.ts'
import { type ServerConnection, serverConnection } from '../server-connection.ts'
import { type ServerOptions, serverChecks, type TestServer, tlsOrExplicit } from '../test-server.ts'

export interface ImapServerOptions extends Omit<ServerOptions, 'tls'> {
  /** true: TLS from the first byte (imaps). 'explicit': STARTTLS is offered. Default false. */
  readonly tls?: boolean | 'explicit'
  /** Passwords by user, in place of alice with the password secret. */
  readonly accounts?: Accounts
  /** LOGIN, AUTHENTICATE PLAIN (RFC 4616) and ANONYMOUS (RFC 4505). Default the first two. */
  readonly logins?: readonly ('login' | 'plain' | 'anonymous')[]
  /** false: AUTHENTICATE takes its message on a line of its own alone (RFC 4959). Default true. */
  readonly initialResponse?: boolean
}

export const imapChecks: Checks<ImapServerOptions> = {
  ...serverChecks,
  tls: tlsOrExplicit,
  accounts,
  logins: listOf('login', 'plain', 'anonymous'),
  initialResponse: flag,
}

/** The mailboxes; UIDs begin at 11, UIDVALIDITY is 7. */
const mailboxes: readonly string[] = ['INBOX', 'Archiv &AOQ-', 'Empty']
const firstUid = 11
const uidValidity = 7

/** A read-only IMAP server (RFC 3501) with the messages of the POP3 server. */
export async function startImapServer(options: ImapServerOptions = {}): Promise<TestServer> {
  checkOptions('startImapServer', options, imapChecks)
  const listener = new Listener(
    {
      name: 'imap',
      scheme: 'imap',
      async serve(connection, server) {
        if (connection.faults.stall === 'greeting') return connection.stall()
        await new ImapSession(serverConnection(connection, server), options).run()
      },
    },
    { ...options, tls: options.tls === true },
  )
  return listener.listen(options.port ?? 0)
}

/** One connection. */
class ImapSession {
  readonly #connection: ServerConnection
  readonly #options: ImapServerOptions
  #isIn = false
  #messages: readonly string[] = []

  constructor(connection: ServerConnection, options: ImapServerOptions) {
    this.#connection = connection
    this.#options = options
  }

  async run(): Promise<void> {
    const connection = this.#connection
    if (!(await connection.sendFault('greeting')))
      await connection.send(`* OK [CAPABILITY ${this.#capabilities()}] ready\r\n`)
    for (let line = await connection.readLine(); line !== undefined; line = await connection.readLine()) {
      const [, tag = '*', command = ''] = /^(\S+) (.*)$/.exec(line) ?? []
      const verb = command.replace(/^UID /i, '').split(' ')[0]?.toUpperCase() ?? ''
      if (await connection.sendFault(line, verb)) continue
      if (!(await this.#answer(tag, verb, command))) return
    }
  }

  /** False: the connection is over. */
  async #answer(tag: string, verb: string, command: string): Promise<boolean> {
    const connection = this.#connection
    const { stall } = connection.faults
    if (
      (/^(?:LOGIN|AUTHENTICATE)$/.test(verb) && stall === 'login') ||
      (/FETCH|LIST/.test(verb) && stall === 'response')
    ) {
      await connection.stall()
      return false
    }
    if (verb === 'STARTTLS' && this.#options.tls === 'explicit') {
      await connection.startTls(`${tag} OK begin\r\n`)
      return true
    }
    if (verb === 'CAPABILITY') return this.#say(`* CAPABILITY ${this.#capabilities()}\r\n${tag} OK`)
    if (verb === 'AUTHENTICATE') return this.#authenticate(tag, command)
    if (verb === 'LOGIN' && this.#logins.includes('login')) {
      const [, user = '', password = ''] = /^LOGIN "((?:[^"\\]|\\.)*)" "((?:[^"\\]|\\.)*)"$/i.exec(command) ?? []
      const plain = (text: string): string => text.replace(/\\(.)/g, '$1')
      return this.#logIn(tag, plain(user), plain(password))
    }
    if (!this.#isIn) return this.#say(`${tag} BAD log in first`)
    if (verb === 'LIST')
      return this.#say(`${mailboxes.map((name) => `* LIST (\\HasNoChildren) "/" "${name}"\r\n`).join('')}${tag} OK`)
    if (verb === 'EXAMINE') return this.#examine(tag, /"(.*)"/.exec(command)?.[1] ?? '')
    if (verb === 'SEARCH') {
      let program = command
      while (/\{\d+\}$/.test(program)) {
        await connection.send('+ go on\r\n')
        program = `${program.replace(/\{\d+\}$/, '')}${(await connection.readLine()) ?? ''}`
      }
      const words = program.includes('CHARSET') ? 'a.bin' : 'Hello'
      const found = this.#messages.flatMap((text, at) =>
        / ALL$/i.test(program) || text.includes(words) ? [firstUid + at] : [],
      )
      return this.#say(`* SEARCH${found.map((uid) => ` ${uid}`).join('')}\r\n${tag} OK`)
    }
    if (verb !== 'FETCH') return this.#say(`${tag} BAD unknown command`)
    return /^UID/i.test(command) ? this.#fetch(tag, command) : this.#list(tag)
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
   * AUTHENTICATE (RFC 3501 6.2.2) by PLAIN (RFC 4616) or ANONYMOUS (RFC 4505), with the message in the command (RFC
   * 4959) or behind it.
   */
  async #authenticate(tag: string, command: string): Promise<boolean> {
    const [, mechanism = '', given] = /^\S+ (\S+)(?: (\S+))?$/.exec(command) ?? []
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

  #examine(tag: string, name: string): Promise<boolean> {
    if (!mailboxes.includes(name)) return this.#say(`${tag} NO [NONEXISTENT] no such mailbox`)
    this.#messages = name === 'Empty' ? [] : messages
    const facts = `* ${this.#messages.length} EXISTS\r\n* OK [UIDVALIDITY ${uidValidity}] valid\r\n`
    return this.#say(`${facts}${tag} OK [READ-ONLY] examined`)
  }

  #list(tag: string): Promise<boolean> {
    const lines = this.#messages.map((text, at) => {
      const facts = `UID ${firstUid + at} RFC822.SIZE ${text.length}`
      return `* ${at + 1} FETCH (${facts} INTERNALDATE "03-Feb-2001 04:05:06 +0000" FLAGS (\\Seen))\r\n`
    })
    return this.#say(`${lines.join('')}${tag} OK`)
  }

  async #fetch(tag: string, command: string): Promise<boolean> {
    const [, uid = '', section = '', offset, length] =
      /^UID FETCH (\d+) \(BODY\.PEEK\[(.*?)\](?:<(\d+)\.(\d+)>)?\)$/i.exec(command) ?? []
    const message = this.#messages[Number(uid) - firstUid]
    if (message === undefined) return this.#say(`${tag} OK`)
    const [header = '', ...rest] = message.split('\r\n\r\n')
    const texts = new Map([
      ['', message],
      ['HEADER', `${header}\r\n\r\n`],
      ['TEXT', rest.join('\r\n\r\n')],
    ])
    const whole = texts.get(section.toUpperCase())
    if (whole === undefined) return this.#say(`* 1 FETCH (UID ${uid} BODY[${section}] NIL)\r\n${tag} OK`)
    const text = offset === undefined ? whole : whole.slice(Number(offset), Number(offset) + Number(length))
    const mark = offset === undefined ? '' : `<${offset}>`
    await this.#connection.send(`* 1 FETCH (UID ${uid} BODY[${section}]${mark} {${text.length}}\r\n`)
    return (await this.#connection.sendBody(text)) && this.#say(`)\r\n${tag} OK`)
  }

  async #say(line: string): Promise<boolean> {
    await this.#connection.send(`${line}\r\n`)
    return true
  }
}
