import { isAccount } from '../accounts.ts'
import type { NntpCommand } from './commands.ts'
import type { NntpSession } from './session.ts'

export type Login = 'user' | 'sasl'

/** Base64 with its padding (RFC 4648, 4); RFC 4643, 2.4.2 wants anything else refused. */
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/

export const loginCommands: Readonly<Record<string, NntpCommand>> = {
  /** RFC 4643: after a login AUTHINFO gets 502; if TLS must come first, it gets 483. */
  async AUTHINFO(session, [kind, ...words]) {
    const step = kind?.toUpperCase()
    if (session.loggedIn) return session.reply('502 Already logged in')
    if (needsTls(session)) return session.reply('483 Encryption required')
    const { logins } = session.settings
    const [value] = words
    if (step === 'SASL' && value !== undefined && logins.includes('sasl')) return sasl(session, value, words[1])
    if (value === undefined || (step !== 'USER' && step !== 'PASS') || !logins.includes('user')) {
      return session.reply(`501 AUTHINFO ${logins.join(' or ').toUpperCase()}`)
    }
    await (step === 'USER' ? user(session, value) : password(session, value))
  },

  /** RFC 4642, 2.2: after 382 and the handshake, the session begins anew, but MODE READER stays in effect. */
  async STARTTLS(session) {
    const { connection } = session
    if (connection.tls || session.loggedIn) return session.reply('502 STARTTLS: too late')
    session.lines.stop()
    await session.reply('382 Continue with TLS negotiation')
    if (connection.faults.stall === 'tls') {
      session.quit()
      return connection.stall()
    }
    await connection.flown()
    connection.secure()
    session.lines.attach(connection.stream)
    session.group = undefined
    session.current = undefined
    session.user = undefined
  },
}

/** The lines of CAPABILITIES about logins and TLS (RFC 4643, 2.1; RFC 4642, 2.1). */
export function loginCapabilities(session: NntpSession): string {
  const { logins, explicitTls, login } = session.settings
  // AUTHINFO without an argument means that no login is possible in this state.
  const names = needsTls(session) ? [] : logins.map((name) => name.toUpperCase())
  return [
    explicitTls && !session.connection.tls ? 'STARTTLS\n' : '',
    login && !session.loggedIn ? `${['AUTHINFO', ...names].join(' ')}\n` : '',
    // RFC 4643, 2.2: this line stays after the login, so that a client can check that the list is the same.
    login && logins.includes('sasl') && !needsTls(session) ? 'SASL PLAIN\n' : '',
  ].join('')
}

function needsTls({ settings, connection }: NntpSession): boolean {
  return settings.login && settings.explicitTls && !connection.tls
}

/** RFC 4643, 2.3: USER gets 381, then PASS gets 281 or 481; 482 if they are out of order. */
async function user(session: NntpSession, name: string): Promise<void> {
  session.user = name
  await session.reply('381 Password required')
}

async function password(session: NntpSession, word: string): Promise<void> {
  const name = session.user
  if (name === undefined) return session.reply('482 AUTHINFO USER first')
  session.user = undefined
  await finish(session, name, word)
}

/** RFC 4643, 2.4, and RFC 4616: `AUTHINFO SASL PLAIN <base64 of authzid NUL authcid NUL passwd>`. */
async function sasl(session: NntpSession, mechanism: string, initial: string | undefined): Promise<void> {
  if (mechanism.toUpperCase() !== 'PLAIN') return session.reply('503 SASL: PLAIN only')
  let response = initial
  if (response === undefined) {
    await session.reply('383 =')
    response = await session.lines.next()
    if (response === undefined) return session.quit()
  }
  if (response === '*') return session.reply('481 Cancelled')
  const base64 = response === '=' ? '' : response
  if (!BASE64.test(base64)) return session.reply('504 That is no base64')
  const [authzid = '', name, word, ...more] = Buffer.from(base64, 'base64').toString('latin1').split('\0')
  if (name === undefined || word === undefined || more.length > 0) return session.reply('482 That is no PLAIN')
  if (authzid !== '' && authzid !== name) return session.reply('481 For yourself only')
  await finish(session, name, word)
}

async function finish(session: NntpSession, name: string, word: string): Promise<void> {
  session.loggedIn = isAccount(session.settings.accounts, name, word)
  await session.reply(session.loggedIn ? '281 Welcome' : '481 Authentication failed')
}
