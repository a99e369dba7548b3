import type { Duplex } from 'node:stream'
import type { AbortScope } from './abort-scope.ts'

/**
 * Waits until a socket is open. Rejects with its error; and where it closes without one, with the reason for which its
 * lifetime was over, or with what became of the connection `below`: TLS says nothing of a connection that was reset
 * before TLS was put on it.
 */
export function socketOpened(
  socket: Duplex,
  event: 'connect' | 'secureConnect',
  { below, lifetime }: { readonly below?: Duplex; readonly lifetime?: AbortScope } = {},
): Promise<void> {
  return new Promise((resolve, reject) => {
    const over = (): void => reject(lifetime?.reason ?? below?.errored ?? closed())
    if (below?.destroyed) return over()
    socket.once(event, () => {
      // Else an error with a stack would be made for nobody at the end of each connection.
      socket.off('close', over)
      resolve()
    })
    socket.once('error', reject)
    socket.once('close', over)
  })
}

/** As Node says it of its own sockets. */
function closed(): Error {
  return Object.assign(new Error('The connection was closed before it was open'), { code: 'ECONNRESET' })
}
