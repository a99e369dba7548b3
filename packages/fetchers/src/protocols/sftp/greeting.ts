import type { Socket } from 'node:net'
import { printable } from '@retriever/core'
import type { RetrievalContext } from '../../contract/fetcher.ts'
import { Connection } from '../../wire/transport/connection.ts'

/**
 * Waits for the server's whole identification (RFC 4253 4.2), and gives its octets back to the socket: ssh2 waits for
 * ever if they come one by one. Lines may precede it. Rejects with `protocol-violation` for other protocols.
 */
export async function awaitGreeting(socket: Socket, context: RetrievalContext): Promise<void> {
  const connection = new Connection(socket, context)
  const { maxReply } = context.limits
  let text = ''
  while (!/(?:^|\n)SSH-[^\n]*\n/.test(text)) {
    const chunk = await connection.read('greeting')
    if (chunk === null || text.length > maxReply) {
      const words = printable(text.trim()).slice(0, 300)
      const what = text === '' ? 'closed the connection' : `said "${words}", which is no greeting of SSH`
      throw context.error(
        text === '' ? 'receive-failed' : 'protocol-violation',
        `The server ${what}. Check the port.`,
        {
          phase: 'greeting',
        },
      )
    }
    text += Buffer.from(chunk).toString('latin1')
  }
  const [line = ''] = /^SSH-[^\r\n]*/m.exec(text) ?? []
  context.emit({ type: 'received', url: context.url, octets: `${line}\r\n` })
  socket.unshift(Buffer.from(text, 'latin1'))
}
