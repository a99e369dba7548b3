import type { Duplex } from 'node:stream'

/**
 * What ends a connection: the deadline of its retrieval, its own Lifetime, or an AbortSignal of the pool that keeps it.
 * Not always a signal, since creating one takes as long as a connection on loopback.
 */
export type AbortScope =
  | AbortSignal
  | {
      /** Why the lifetime is over. Null: it is not. */
      readonly reason: unknown
      /** Works as whenOver() does. */
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

/**
 * Calls the listener when the lifetime is over, at once if it is already. The returned function removes the listener.
 */
export function whenOver(lifetime: AbortScope, listener: () => void): () => void {
  if ('onAbort' in lifetime) return lifetime.onAbort(listener)
  if (lifetime.aborted) listener()
  lifetime.addEventListener('abort', listener, { once: true })
  return () => lifetime.removeEventListener('abort', listener)
}

/**
 * Waits until a socket is open. Rejects with its error. If it closes without an error, rejects with the reason why its
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
      // If the listener stayed, each connection would create an error with a stack when it ends.
      socket.off('close', over)
      resolve()
    })
    socket.once('error', reject)
    socket.once('close', over)
  })
}

/** Makes the error that Node itself gives. */
function closed(): Error {
  return Object.assign(new Error('The connection was closed before it was open'), { code: 'ECONNRESET' })
}
