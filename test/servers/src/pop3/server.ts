import { createHash } from 'node:crypto'
import { type Accounts, isAccount, seedAccounts } from '../accounts.ts'
import { Listener } from '../listener.ts'
import { accounts, type Checks, checkOptions, flag, listOf } from '../options.ts'
import { type ServerConnection, serverConnection } from '../server-connection.ts'
import { type ServerOptions, serverChecks, type TestServer, tlsOrExplicit } from '../test-server.ts'
import { dotBlock, octets } from '../text.ts'
import { messages } from './messages.ts'

export interface Pop3ServerOptions extends Omit<ServerOptions, 'tls'> {
  /** true: TLS from the first octet (pop3s). 'explicit': the server offers STLS (RFC 2595). Default false. */
  readonly tls?: boolean | 'explicit'
  /** Passwords by user. Default: alice with the password secret. */
  readonly accounts?: Accounts
  /** Whether the server offers APOP (RFC 1939, 7). Default false. */
  readonly apop?: boolean
  /** The logins that are offered: USER and PASS, AUTH PLAIN (RFC 5034). Default both. */
  readonly logins?: readonly ('user' | 'plain')[]
}

export const pop3Checks: Checks<Pop3ServerOptions> = {
  ...serverChecks,
  tls: tlsOrExplicit,
  accounts,
  apop: flag,
  logins: listOf('user', 'plain'),
}

const timestamp = '<1896.697170952@example.net>'

/** A POP3 server (RFC 1939) with two messages. Nothing can be deleted. */
export async function startPop3Server(options: Pop3ServerOptions = {}): Promise<TestServer> {
  checkOptions('startPop3Server', options, pop3Checks)
  const listener = new Listener(
    {
      name: 'pop3',
      scheme: 'pop3',
      async serve(connection, server) {
        if (connection.faults.stall === 'greeting') return connection.stall()
        await new Mailbox(serverConnection(connection, server), options).run()
      },
    },
    { ...options, tls: options.tls === true },
  )
  return listener.listen(options.port ?? 0)
}

/** The session of one connection. */
class Mailbox {
  readonly #connection: ServerConnection
  readonly #accounts: Accounts
  readonly #options: Pop3ServerOptions
  readonly #logins: ReadonlySet<string>
  #user = ''
  #isIn = false

  constructor(connection: ServerConnection, options: Pop3ServerOptions) {
    this.#connection = connection
    this.#options = options
    this.#accounts = options.accounts ?? seedAccounts
    this.#logins = new Set(options.logins ?? ['user', 'plain'])
  }

  async run(): Promise<void> {
    const connection = this.#connection
    if (!(await connection.sendFault('greeting')))
      await connection.send(`+OK ready${this.#options.apop ? ` ${timestamp}` : ''}\r\n`)
    for (let line = await connection.readLine(); line !== undefined; line = await connection.readLine()) {
      const [verb = '', ...words] = line.split(' ')
      const name = verb.toUpperCase()
      if (await connection.sendFault(line, name)) continue
      if (!(await this.#answer(name, words))) return
    }
  }

  /** Answers a command. Resolves to false if the connection is over. */
  async #answer(verb: string, words: readonly string[]): Promise<boolean> {
    const [first = '', second = ''] = words
    const connection = this.#connection
    switch (verb) {
      case 'QUIT':
        await connection.send('+OK bye\r\n')
        return false
      case 'STLS':
        if (this.#options.tls !== 'explicit') return this.#say('-ERR no TLS')
        await connection.startTls('+OK begin\r\n')
        return true
      case 'CAPA':
        return this.#say(`+OK\r\n${this.#logins.has('user') ? 'USER\r\n' : ''}${this.#saslLine()}UIDL\r\nTOP\r\n.`)
      case 'AUTH':
        return first.toUpperCase() === 'PLAIN' && this.#logins.has('plain')
          ? this.#authenticate(second)
          : this.#say('-ERR no such mechanism')
      case 'USER':
        if (!this.#logins.has('user')) return this.#say('-ERR no USER')
        this.#user = words.join(' ')
        return this.#say('+OK')
      case 'PASS':
        return this.#logIn(isAccount(this.#accounts, this.#user, words.join(' ')))
      case 'APOP':
        return this.#logIn(this.#options.apop === true && second === this.#digestOf(first))
    }
    if (!this.#isIn) return this.#say('-ERR log in first')
    if (verb === 'NOOP' || verb === 'RSET') return this.#say('+OK')
    if (verb === 'STAT') return this.#say(`+OK ${messages.length} ${messages.join('').length}`)
    const message = messages[Number(first) - 1]
    if (first !== '' && message === undefined) return this.#say('-ERR no such message')
    if (verb === 'LIST' || verb === 'UIDL') {
      const line = (text: string, at: number): string => `${at + 1} ${verb === 'LIST' ? text.length : `uid-${at + 1}`}`
      if (message !== undefined) return this.#say(`+OK ${line(message, Number(first) - 1)}`)
      const lines = messages.map((text, at) => `${line(text, at)}\r\n`).join('')
      return verb === 'UIDL' ? this.#say(`+OK\r\n${lines}.`) : this.#sendBlock(lines)
    }
    if (verb === 'DELE') return this.#say('-ERR nothing is deleted here')
    if ((verb !== 'RETR' && verb !== 'TOP') || message === undefined) return this.#say('-ERR unknown command')
    return this.#sendBlock(verb === 'TOP' ? topOf(message, Number(second) || 0) : message)
  }

  #saslLine(): string {
    return this.#logins.has('plain') ? 'SASL PLAIN\r\n' : ''
  }

  /** Answers AUTH PLAIN (RFC 5034 4, RFC 4616). The message stands in the command or follows it. */
  async #authenticate(given: string): Promise<boolean> {
    if (given === '') await this.#connection.send('+ \r\n')
    const message = given === '' ? await this.#connection.readLine() : given
    const [, user = '', password = ''] = Buffer.from(message ?? '', 'base64')
      .toString('latin1')
      .split('\0')
    return this.#logIn(isAccount(this.#accounts, user, password))
  }

  async #logIn(isRight: boolean): Promise<boolean> {
    if (this.#connection.faults.stall === 'login') {
      await this.#connection.stall()
      return false
    }
    this.#isIn = isRight
    return this.#say(isRight ? '+OK' : '-ERR [AUTH] wrong user or password')
  }

  async #say(line: string): Promise<boolean> {
    await this.#connection.send(`${line}\r\n`)
    return true
  }

  async #sendBlock(text: string): Promise<boolean> {
    if (this.#connection.faults.stall === 'response') {
      await this.#connection.stall()
      return false
    }
    await this.#say('+OK')
    return this.#connection.sendBody(dotBlock(text))
  }

  #digestOf(user: string): string {
    const found = Object.entries(this.#accounts).find(([name]) => octets(name) === user)
    return createHash('md5')
      .update(timestamp + octets(found?.[1] ?? ''), 'latin1')
      .digest('hex')
  }
}

/** The header, the empty line, and `count` lines behind it (RFC 1939 7). */
function topOf(message: string, count: number): string {
  const header = message.slice(0, message.indexOf('\r\n\r\n') + 4)
  const lines = message.slice(header.length).split('\r\n')
  return header + lines.slice(0, count).join('\r\n')
}
