import type { Server } from '../network.ts'
import { byLines } from './lines.ts'

/** A server of IMAP: messages with the UIDs 1, 2, ... in INBOX. */
export function imapServer(bodies: readonly string[]): Server {
  return (peer) => {
    const answer = (line: string): void => {
      const [, tag = '', command = ''] = /^(\S+) (.*)$/.exec(line) ?? []
      const uid = /^UID FETCH (\d+) /.exec(command)?.[1]
      const body = bodies[Number(uid) - 1]
      const fetched = body === undefined ? '' : `* ${uid} FETCH (UID ${uid} BODY[] {${body.length}}\r\n${body})\r\n`
      const untagged: Readonly<Record<string, string>> = {
        CAPABILITY: '* CAPABILITY IMAP4rev1\r\n',
        EXAMINE: `* ${bodies.length} EXISTS\r\n* OK [UIDVALIDITY 7] x\r\n`,
        UID: fetched,
        LOGOUT: '* BYE\r\n',
      }
      peer.send(`${untagged[command.split(' ')[0] ?? ''] ?? ''}${tag} OK done\r\n`)
      if (command === 'LOGOUT') peer.end()
    }
    peer.send('* OK ready\r\n')
    return byLines(answer)
  }
}
