import type { Duplex } from 'node:stream'

/**
 * Waits until a socket is open. Rejects with its error; and where it closes without one, with the reason of the signal that closed it,
 * or with what became of the connection `below`: TLS says nothing of a connection that was reset before TLS was put on it.
 */
export function opening(
  socket: Duplex,
  event: 'connect' | 'secureConnect',
  { below, signal }: { readonly below?: Duplex; readonly signal?: AbortSignal } = {},
): Promise<void> {
  return new Promise((resolve, reject) => {
    const over = (): void => reject(signal?.aborted ? signal.reason : (below?.errored ?? closed()))
    if (below?.destroyed) return over()
    socket.once(event, resolve)
    socket.once('error', reject)
    socket.once('close', over)
  })
}

/** As Node says it of its own sockets. */
function closed(): Error {
  return Object.assign(new Error('The connection was closed before it was open'), { code: 'ECONNRESET' })
}
