import { type Body, type BodyEnd, sendBody } from '../body.ts'
import type { Connection } from '../connection.ts'
import type { Faults } from '../faults.ts'
import type { DataPort } from './data-port.ts'
import type { FtpSession } from './session.ts'

/** Sends a body over the data connection that EPSV or PASV prepared: 150, the octets, 226 (RFC 959, 5.4). */
export async function transfer(session: FtpSession, body: Body, what: string): Promise<void> {
  const port = session.data
  if (!port) return session.reply(425, 'Use EPSV or PASV first.')
  const faults = session.connection.nextBody()
  try {
    const data = await port.connected()
    if (!data && !port.dropped) return await session.reply(425, 'No data connection.')
    await session.reply(150, `Opening ${session.type === 'A' ? 'ASCII' : 'BINARY'} mode data connection for ${what}.`)
    if (!data) return
    if (session.settings.sessionReuse && data.tls && !(await data.resumed)) {
      // vsftpd has the same words.
      return await session.reply(522, 'SSL connection failed: session reuse required')
    }
    if (faults.earlyReply) await session.reply(226, 'Transfer complete.')
    await finish(session, port, faults, await sendOver(port, data, body, faults))
  } finally {
    port.close()
    // If an EPSV dropped this transfer, it has not been answered yet and will open its own port.
    session.data = undefined
  }
}

/** How a transfer ended: as its body did, or because the client closed the data connection or sent ABOR. */
type End = BodyEnd | 'aborted'

async function sendOver(port: DataPort, data: Connection, body: Body, faults: Faults): Promise<End> {
  if (port.aborted) return 'aborted'
  try {
    const end = await sendBody(data.stream, body, faults)
    if (end === 'reset') await data.reset()
    else if (end === 'stalled') await data.stall()
    else await data.end()
    return port.aborted ? 'aborted' : end
  } catch {
    return 'aborted'
  }
}

/** Sends the final reply that fits the end of the body, unless a fault keeps it back or ends the session. */
async function finish(session: FtpSession, port: DataPort, faults: Faults, end: End): Promise<void> {
  if (port.dropped) return
  if (end === 'crashed') {
    session.quit()
    await session.connection.reset()
  } else if (faults.stall === 'final') await session.connection.stall()
  else if (end !== 'whole' && end !== 'short') await session.reply(426, 'Connection closed; transfer aborted.')
  else if (!faults.earlyReply) await session.reply(226, 'Transfer complete.')
}
