import type { Socket } from 'node:net'
import { connect, type TLSSocket } from 'node:tls'
import type { RetrievalContext } from '../../contract/fetcher.ts'
import { checkPin } from './pins.ts'
import { connectError } from './socket-error.ts'
import { socketOpened } from './socket-opened.ts'
import { tellSecured } from './tls-facts.ts'
import { tlsOptions } from './tls-options.ts'

/** A TLS handshake under way. */
export interface Secured {
  readonly socket: TLSSocket
  /** Resolves after the handshake; rejects with `certificate` or `tls-failed`. */
  readonly agreed: Promise<void>
}

/**
 * Starts TLS on a connected socket. The certificate must be that of the URL's host, even on FTP's data connections,
 * which are opened by address. `session` is the TLS session of the control connection: vsftpd and proftpd refuse a data
 * connection that does not resume it, since another client could have connected to the port first.
 */
export function startTls(
  context: RetrievalContext,
  { host, port }: { readonly host: string; readonly port: number },
  plain: Socket,
  session?: Buffer,
): Secured {
  const ticket = session === undefined ? {} : { session }
  const socket = connect({ socket: plain, host, ...tlsOptions(host, context.tls), ...ticket })
  const secured = (): void => {
    // Only FTP's data connections resume a session. Their times are not noted.
    if (session === undefined) context.stopwatch?.mark('secured')
    checkPin(context, host, socket)
    tellSecured(context, host, socket)
  }
  const agreed = socketOpened(socket, 'secureConnect', { below: plain }).then(secured, (cause: unknown) => {
    socket.destroy()
    throw connectError(context, { host, port }, cause)
  })
  // Avoids an unhandledRejection. The awaiting caller still gets the error, and the next read gets later ones.
  agreed.catch(() => {})
  socket.on('error', (error) => socket.destroy(error))
  return { socket, agreed }
}
