import type { RetrievalContext } from '../../plugin/fetcher.ts'

/**
 * For how long a connection is wanted: as long as its retrieval, or as whoever keeps it says. A deadline is not asked
 * for its signal, which takes as long to make as a connection on loopback.
 */
export type AbortScope = AbortSignal | Pick<RetrievalContext['deadline'], 'reason' | 'onAbort'>

/** Calls the listener once it is over, at once if it is already; the function given back forgets it. */
export function whenOver(lifetime: AbortScope, listener: () => void): () => void {
  if ('onAbort' in lifetime) return lifetime.onAbort(listener)
  if (lifetime.aborted) listener()
  lifetime.addEventListener('abort', listener, { once: true })
  return () => lifetime.removeEventListener('abort', listener)
}
