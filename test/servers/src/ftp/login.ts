import { isAccount } from '../accounts.ts'
import type { Command } from './commands.ts'
import type { FtpSession } from './session.ts'

function tlsOnly(session: FtpSession): boolean {
  return session.connection.tls
}

export const loginCommands: Readonly<Record<string, Command>> = {
  async USER(session, argument) {
    if (!argument) return session.reply(501, 'USER: a name is wanted.')
    session.user = argument
    session.loggedIn = false
    session.account = 'none'
    await session.reply(331, 'Please specify the password.')
  },

  async PASS(session, argument) {
    const user = session.user
    if (user === undefined) return session.reply(503, 'Login with USER first.')
    session.user = undefined
    const { settings } = session
    const anonymous = settings.anonymous && ['anonymous', 'ftp'].includes(user.toLowerCase())
    if (!anonymous && !isAccount(settings.accounts, user, argument ?? '')) {
      return session.reply(530, 'Login incorrect.')
    }
    if (user === settings.wantsAccount) {
      session.account = 'wanted'
      return session.reply(332, 'Need account for login.')
    }
    session.loggedIn = true
    await session.reply(230, 'Login successful.')
  },

  async ACCT(session, argument) {
    if (session.account !== 'wanted') return session.reply(202, 'ACCT superfluous.')
    if (!argument) return session.reply(501, 'ACCT: an account is wanted.')
    session.account = 'given'
    session.loggedIn = true
    await session.reply(230, 'Login successful.')
  },

  async FEAT(session) {
    const facts = ['type', 'size', 'modify', 'unix.mode'].map(
      (fact) => fact + (session.facts.includes(fact) ? '*;' : ';'),
    )
    const plain = ['EPSV', 'MDTM', `MLST ${facts.join('')}`, 'PASV', 'REST STREAM', 'SIZE', 'TVFS', 'UTF8']
    const tls = session.settings.explicitTls
      ? ['AUTH TLS', 'PBSZ', 'PROT']
      : session.connection.tls
        ? ['PBSZ', 'PROT']
        : []
    await session.reply(211, 'Features:', [...tls, ...plain])
  },

  async OPTS(session, argument) {
    const [name = '', value = ''] = (argument ?? '').split(' ', 2)
    if (name.toUpperCase() === 'UTF8') return session.reply(200, 'Always in UTF8 mode.')
    if (name.toUpperCase() !== 'MLST') return session.reply(501, 'Option not understood.')
    const known = ['type', 'size', 'modify', 'unix.mode']
    const wanted = value.toLowerCase().split(';')
    session.facts = known.filter((fact) => wanted.includes(fact))
    await session.reply(200, `MLST OPTS ${session.facts.map((fact) => `${fact};`).join('')}`.trimEnd())
  },

  // RFC 4217, 4: after AUTH and the handshake, the session begins anew. A second AUTH gets 503.
  async AUTH(session, argument) {
    if (!session.settings.explicitTls) return session.reply(502, 'AUTH not implemented.')
    if (!['TLS', 'TLS-C', 'SSL'].includes(argument?.toUpperCase() ?? '')) return session.reply(504, 'AUTH: TLS only.')
    if (tlsOnly(session)) return session.reply(503, 'TLS is on.')
    session.lines.stop()
    await session.reply(234, 'Proceed with negotiation.')
    await session.connection.flown()
    session.connection.secure()
    session.lines.attach(session.connection.stream)
    session.loggedIn = false
  },

  async PBSZ(session) {
    await (tlsOnly(session) ? session.reply(200, 'PBSZ=0') : session.reply(503, 'PBSZ: AUTH first.'))
  },

  async PROT(session, argument) {
    const level = argument?.toUpperCase()
    if (!tlsOnly(session)) return session.reply(503, 'PROT: AUTH and PBSZ first.')
    if (level !== 'P' && level !== 'C') return session.reply(536, 'PROT: P and C only.')
    session.dataTls = level === 'P'
    await session.reply(200, `Protection set to ${level}.`)
  },
}
