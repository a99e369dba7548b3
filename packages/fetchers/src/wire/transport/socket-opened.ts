import type { Duplex } from 'node:stream'

/**
 * The lifetime of a connection: the deadline of its retrieval, its own Lifetime, or an AbortSignal of the pool that
 * keeps it. Creating a signal takes as long as a connection on loopback.
 */
export type AbortScope =
  | AbortSignal
  | {
      /** Why it is over; null: it is not. */
      readonly reason: unknown
      /** As whenOver(). */
      onAbort(listener: () => void): () => void
    }

/** A lifetime that its owner ends. */
export class Lifetime {
  readonly #listeners = new Set<() => void>()
  #reason: string | null = null

  get reason(): string | null {
    return this.#reason
  }

  onAbort(listener: () => void): () => void {
    if (this.#reason !== null) listener()
    else this.#listeners.add(listener)
    return () => this.#listeners.delete(listener)
  }

  /** Only the first call counts. */
  end(reason: string): void {
    if (this.#reason !== null) return
    this.#reason = reason
    for (const listener of this.#listeners) listener()
    this.#listeners.clear()
  }
}

/** Calls the listener when the lifetime is over, or at once if it is. The function returned removes the listener. */
export function whenOver(lifetime: AbortScope, listener: () => void): () => void {
  if ('onAbort' in lifetime) return lifetime.onAbort(listener)
  if (lifetime.aborted) listener()
  lifetime.addEventListener('abort', listener, { once: true })
  return () => lifetime.removeEventListener('abort', listener)
}

/**
 * Waits until a socket is open. Rejects with its error. If it closes without one, rejects with the reason that its
 * lifetime is over, or with the error of the connection `below`: TLS does not report a connection that was reset before
 * the handshake.
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
      // Without this, each connection would create an error with a stack when it ends.
      socket.off('close', over)
      resolve()
    })
    socket.once('error', reject)
    socket.once('close', over)
  })
}

/** The error that Node gives for its own sockets. */
function closed(): Error {
  return Object.assign(new Error('The connection was closed before it was open'), { code: 'ECONNRESET' })
}
