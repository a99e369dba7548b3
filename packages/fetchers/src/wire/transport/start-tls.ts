import type { Socket } from 'node:net'
import { connect, type TLSSocket } from 'node:tls'
import type { RetrievalContext } from '../../plugin/fetcher.ts'
import { tlsOptions } from './dial.ts'
import { connectError } from './socket-error.ts'
import { socketOpened } from './socket-opened.ts'

/** A TLS session that is being agreed on. */
export interface Secured {
  readonly socket: TLSSocket
  /** Resolves after the handshake; rejects with `certificate` or `tls-failed`. */
  readonly agreed: Promise<void>
}

/**
 * Starts TLS on a connected socket. The certificate must be the URL's host's, for FTP's data connections too, which are dialled by
 * address. `session` is that of their control connection: vsftpd and proftpd refuse data connections that do not resume it, since
 * somebody else might have been faster at the port.
 */
export function startTls(
  context: RetrievalContext,
  { host, port }: { readonly host: string; readonly port: number },
  plain: Socket,
  session?: Buffer,
): Secured {
  const ticket = session === undefined ? {} : { session }
  const socket = connect({ socket: plain, host, ...tlsOptions(host, context.tls), ...ticket })
  const agreed = socketOpened(socket, 'secureConnect', { below: plain }).catch((cause: unknown) => {
    socket.destroy()
    throw connectError(context, { host, port }, cause)
  })
  // Met where it is awaited, which may be later; and later errors by the next read.
  agreed.catch(() => {})
  socket.on('error', (error) => socket.destroy(error))
  return { socket, agreed }
}
