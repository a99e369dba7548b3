import { parent } from '../files/tree.ts'
import { crlfChunks, timeDigits, withoutFirst } from '../text.ts'
import { fileCommands } from './files.ts'
import { loginCommands } from './login.ts'
import type { FtpSession } from './session.ts'
import { withTelnet } from './telnet.ts'
import { transfer } from './transfer.ts'

/** `argument` is undefined for `CWD` and empty for `CWD `, since RFC 1738, 3.2.2 distinguishes them. */
export type Command = (session: FtpSession, argument: string | undefined) => Promise<void>

const CDUP: Command = async (session) => {
  session.cwd = parent(session.cwd)
  await session.reply(250, 'Directory successfully changed.')
}

const PWD: Command = (session) => session.reply(257, `"${quoted(session.cwd)}" is the current directory.`)

/** A name in quotes; a quote within is doubled (RFC 959, Appendix II). */
function quoted(path: string): string {
  return withTelnet(path).replaceAll('"', '""')
}

/** Known commands that this server refuses, since it is read-only and opens no connection itself (RFC 2577, 3). */
const refused: Readonly<Record<string, Command>> = Object.fromEntries(
  ['PORT', 'EPRT', 'STOR', 'STOU', 'APPE', 'DELE', 'MKD', 'RMD', 'RNFR', 'RNTO', 'SITE'].map((verb) => [
    verb,
    (session: FtpSession): Promise<void> => session.reply(502, `${verb} not implemented.`),
  ]),
)

/** The verbs of this server. If you add one, check whether `FEAT` must name it. */
export const commands: Readonly<Record<string, Command>> = {
  ...loginCommands,
  ...fileCommands,
  ...refused,

  async CWD(session, argument) {
    if (!argument) {
      // inetutils refuses `CWD ` and takes `CWD` as "go to the login directory"; pure-ftpd accepts both.
      if (session.settings.nullCwd === 'stay') return session.reply(250, 'Directory not changed.')
      if (argument === '') return session.reply(501, 'CWD: a directory name is wanted.')
    }
    const path = session.path(argument ?? session.settings.home)
    if (session.settings.tree.get(path)?.kind !== 'directory') {
      return session.reply(550, 'Failed to change directory.')
    }
    session.cwd = path
    await session.reply(250, 'Directory successfully changed.')
  },

  CDUP,
  XCUP: CDUP,
  PWD,
  XPWD: PWD,

  async TYPE(session, argument) {
    const type = argument?.toUpperCase()
    if (type === 'I' || type === 'L 8') session.type = 'I'
    else if (type === 'A' || type === 'A N') session.type = 'A'
    else return session.reply(504, 'TYPE: A and I are known.')
    await session.reply(200, `Type set to ${session.type}.`)
  },

  async STRU(session, argument) {
    await (argument?.toUpperCase() === 'F' ? session.reply(200, 'Structure F.') : session.reply(504, 'STRU: F only.'))
  },

  async MODE(session, argument) {
    await (argument?.toUpperCase() === 'S' ? session.reply(200, 'Mode S.') : session.reply(504, 'MODE: S only.'))
  },

  async PASV(session) {
    if (session.epsvOnly) return session.reply(501, 'PASV not allowed after EPSV ALL.')
    if (session.server.address.includes(':')) return session.reply(522, 'Use EPSV: this is IPv6.')
    const port = await session.openData().listen()
    const numbers = [...session.server.address.split('.'), port >> 8, port & 255]
    await session.reply(227, `Entering Passive Mode (${numbers.join(',')}).`)
  },

  async EPSV(session, argument) {
    if (argument?.toUpperCase() === 'ALL') {
      session.epsvOnly = true
      return session.reply(200, 'EPSV ALL: other ways are closed.')
    }
    const family = session.server.address.includes(':') ? '2' : '1'
    if (argument && argument !== family) return session.reply(522, `Network protocol not supported, use (${family})`)
    const port = await session.openData().listen()
    await session.reply(229, `Entering Extended Passive Mode (|||${port}|)`)
  },

  async REST(session, argument) {
    if (!argument || !/^\d{1,15}$/.test(argument)) return session.reply(501, 'REST: a number is wanted.')
    session.restart = Number(argument)
    await session.reply(350, `Restarting at ${argument}.`)
  },

  async RETR(session, argument) {
    const file = argument ? session.settings.tree.file(session.path(argument)) : undefined
    if (!argument || !file) return session.reply(argument ? 550 : 501, 'Failed to open file.')
    const start = session.connection.faults.ignoreRestart ? 0 : session.restart
    if (start > file.size && session.type === 'I') return session.reply(554, 'Restart position beyond the end.')
    const chunks = session.type === 'I' ? file.chunks(start) : withoutFirst(crlfChunks(file.chunks()), start)
    const size = session.type === 'I' ? file.size - start : undefined
    const label = size === undefined ? withTelnet(argument) : `${withTelnet(argument)} (${size} bytes)`
    await transfer(session, { size, chunks }, label)
  },

  async SIZE(session, argument) {
    const file = session.settings.tree.file(session.path(argument ?? ''))
    if (!file) return session.reply(550, 'Could not get file size.')
    // RFC 3659, 4 wants the size as transferred. Only reading the whole file would tell that, so proftpd refuses, too.
    if (session.type === 'A') return session.reply(550, 'SIZE not allowed in ASCII mode.')
    await session.reply(213, String(file.size))
  },

  async MDTM(session, argument) {
    const file = session.settings.tree.file(session.path(argument ?? ''))
    await (file ? session.reply(213, timeDigits(file.modified)) : session.reply(550, 'Could not get file time.'))
  },

  async ABOR(session) {
    await session.reply(226, 'ABOR: no transfer in progress now.')
  },

  async NOOP(session) {
    await session.reply(200, 'NOOP ok.')
  },

  async SYST(session) {
    await session.reply(215, 'UNIX Type: L8')
  },

  async STAT(session) {
    await session.reply(502, 'STAT not implemented.')
  },

  async HELP(session) {
    const names = Object.keys(commands).sort()
    const lines = Array.from({ length: Math.ceil(names.length / 10) }, (_, row) =>
      names.slice(row * 10, row * 10 + 10).join(' '),
    )
    await session.reply(214, 'The following commands are recognized.', lines, 'Help OK.')
  },

  async QUIT(session) {
    session.quit()
    await session.reply(221, 'Goodbye.')
  },
}
