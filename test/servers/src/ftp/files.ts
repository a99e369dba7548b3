import { wholeBody } from '../body.ts'
import { baseName, parent, type TreeNode } from '../files/tree.ts'
import { timeDigits } from '../text.ts'
import type { Command } from './commands.ts'
import type { FtpSession } from './session.ts'
import { withTelnet } from './telnet.ts'
import { transfer } from './transfer.ts'

const MONTHS: readonly string[] = 'Jan Feb Mar Apr May Jun Jul Aug Sep Oct Nov Dec'.split(' ')

/** A line of LIST: `-rw-r--r--   1 ann      ann            27 Feb  3  2001 hello.txt` */
function longLine(node: TreeNode): string {
  const directory = node.kind === 'directory'
  const size = String(directory ? 4096 : node.size).padStart(12)
  const day = String(node.modified.getUTCDate()).padStart(2)
  const date = `${MONTHS[node.modified.getUTCMonth()]} ${day}  ${node.modified.getUTCFullYear()}`
  return `${directory ? 'drwxr-xr-x   2' : '-rw-r--r--   1'} ann      ann ${size} ${date} ${baseName(node.path)}`
}

/** A line of MLSD: `type=file;size=27;modify=20010203040506;unix.mode=0644; hello.txt` (RFC 3659, 7.2) */
function factLine(session: FtpSession, node: TreeNode, name: string, type: string): string {
  const values: Readonly<Record<string, string | undefined>> = {
    type,
    size: node.kind === 'file' ? String(node.size) : undefined,
    modify: timeDigits(node.modified),
    'unix.mode': node.kind === 'file' ? '0644' : '0755',
  }
  const facts = session.facts.filter((fact) => values[fact] !== undefined).map((fact) => `${fact}=${values[fact]};`)
  return `${facts.join('')} ${name}`
}

/** Sends a listing. Its lines end in CRLF in both types, as in all servers but inetutils. */
async function sendLines(session: FtpSession, lines: readonly string[]): Promise<void> {
  await transfer(session, wholeBody(lines.map((line) => `${line}\r\n`).join('')), 'file list')
}

async function missing(session: FtpSession): Promise<void> {
  await session.reply(550, 'No such file or directory.')
}

export const fileCommands: Readonly<Record<string, Command>> = {
  /** Gives names as vsftpd and proftpd do: `NLST pub` gives `pub/hello.txt`. */
  async NLST(session, argument) {
    const node = session.settings.tree.get(session.path(argument ?? ''))
    if (!node) return missing(session)
    if (node.kind === 'file') return sendLines(session, [argument ?? ''])
    const prefix = argument ? `${argument.replace(/(?<!\/)\/+$/, '')}/` : ''
    await sendLines(
      session,
      session.settings.tree.list(node.path).map((child) => prefix + baseName(child.path)),
    )
  },

  /** People type `LIST -a`, so this drops an option before the pathname, as every current server does. */
  async LIST(session, argument) {
    const pathname = (argument ?? '').replace(/^-[A-Za-z]+(?: |$)/, '')
    const node = session.settings.tree.get(session.path(pathname))
    if (!node) return missing(session)
    const nodes = node.kind === 'file' ? [node] : session.settings.tree.list(node.path)
    await sendLines(session, nodes.map(longLine))
  },

  async MLSD(session, argument) {
    const { tree } = session.settings
    const node = tree.get(session.path(argument ?? ''))
    if (!node) return missing(session)
    if (node.kind === 'file') return session.reply(501, 'MLSD: a directory is wanted.')
    const above = tree.get(parent(node.path)) ?? node
    await sendLines(session, [
      factLine(session, node, '.', 'cdir'),
      factLine(session, above, '..', 'pdir'),
      ...tree.list(node.path).map((child) => {
        return factLine(session, child, baseName(child.path), child.kind === 'file' ? 'file' : 'dir')
      }),
    ])
  },

  async MLST(session, argument) {
    const node = session.settings.tree.get(session.path(argument ?? ''))
    if (!node) return missing(session)
    const line = factLine(session, node, withTelnet(node.path), node.kind === 'file' ? 'file' : 'dir')
    await session.reply(250, 'Begin', [line], 'End')
  },
}
