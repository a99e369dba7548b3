import { once } from 'node:events'
import { isIP, type Socket } from 'node:net'
import { connect, type TLSSocket } from 'node:tls'
import type { FtpPlan } from '@retriever/core'
import type { RetrievalContext } from '../fetcher.ts'
import { connectError } from '../wire/socket-error.ts'

/** A TLS session that is being agreed on. */
export interface Secured {
  readonly socket: TLSSocket
  /** Resolves after the handshake; rejects with `certificate` or `tls-failed`. */
  readonly agreed: Promise<void>
}

/**
 * Starts TLS on a connected socket. The certificate must be the URL's host's, for data connections too, which are dialled by
 * address. `session` is the control connection's: vsftpd and proftpd refuse data connections that do not resume it, since
 * somebody else might have been faster at the port.
 */
export function startTls(context: RetrievalContext, plan: FtpPlan, plain: Socket, session?: Buffer): Secured {
  const { host, port } = plan
  const socket = connect({
    socket: plain,
    host,
    // SNI carries names only (RFC 6066 3), and no trailing dot.
    ...(isIP(host) ? {} : { servername: host.replace(/\.$/, '') }),
    ...(context.tls.ca === undefined ? {} : { ca: context.tls.ca }),
    ...(session === undefined ? {} : { session }),
    rejectUnauthorized: context.tls.insecure !== true,
  })
  const agreed = once(socket, 'secureConnect').then(
    () => {},
    (cause: unknown) => {
      socket.destroy()
      throw connectError(context, { host, port }, cause)
    },
  )
  // Met where it is awaited, which may be later; and later errors by the next read.
  agreed.catch(() => {})
  socket.on('error', () => {})
  return { socket, agreed }
}
