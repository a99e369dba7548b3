import type { RetrievalContext } from '../../plugin/fetcher.ts'

/**
 * The lifetime of a connection: that of its retrieval, or an AbortSignal of the pool that keeps it. A deadline stands
 * for itself, since creating its signal takes as long as a connection on loopback.
 */
export type AbortScope = AbortSignal | Pick<RetrievalContext['deadline'], 'reason' | 'onAbort'>

/** Calls the listener when the lifetime is over, or at once if it is. The function returned removes the listener. */
export function whenOver(lifetime: AbortScope, listener: () => void): () => void {
  if ('onAbort' in lifetime) return lifetime.onAbort(listener)
  if (lifetime.aborted) listener()
  lifetime.addEventListener('abort', listener, { once: true })
  return () => lifetime.removeEventListener('abort', listener)
}
