import { type Body, sendBody } from '../body.ts'
import type { Connection } from '../connection.ts'
import type { DataPort } from './data-port.ts'
import type { FtpSession } from './session.ts'

/** Sends a body over the data connection that EPSV or PASV prepared: 150, the octets, 226 (RFC 959, 5.4). */
export async function transfer(session: FtpSession, body: Body, what: string): Promise<void> {
  const port = session.data
  if (!port) return session.reply(425, 'Use EPSV or PASV first.')
  const { faults } = session.connection
  try {
    const data = await port.connected()
    if (!data) return await session.reply(425, 'No data connection.')
    await session.reply(150, `Opening ${session.type === 'A' ? 'ASCII' : 'BINARY'} mode data connection for ${what}.`)
    if (faults.earlyReply) await session.reply(226, 'Transfer complete.')
    const complete = await sendOver(port, data, body)
    if (faults.stall === 'final') await session.connection.stall()
    else if (!complete) await session.reply(426, 'Connection closed; transfer aborted.')
    else if (!faults.earlyReply) await session.reply(226, 'Transfer complete.')
  } finally {
    port.close()
    session.data = undefined
  }
}

/** Whether the client got all that the faults wanted it to get. */
async function sendOver(port: DataPort, data: Connection, body: Body): Promise<boolean> {
  if (port.aborted) return false
  try {
    const end = await sendBody(data.stream, body, data.faults)
    if (end === 'reset') await data.reset()
    else if (end === 'stalled') await data.stall()
    else await data.end()
    return (end === 'whole' || end === 'short') && !port.aborted
  } catch {
    // The client closed the data connection, or ABOR did.
    return false
  }
}
