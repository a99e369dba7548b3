import type { HttpPlan } from '@retriever/core'
import type { ProxyServer, RetrievalContext } from '../../plugin/fetcher.ts'

/**
 * The proxy that is asked for the URL itself (RFC 9112 3.2.2): the plan's target is in absolute form then. Null: the
 * server is asked, perhaps through a tunnel.
 */
export function forwarder({ target }: HttpPlan, { proxy }: RetrievalContext): ProxyServer | null {
  return proxy && authorityOf(target) !== null ? proxy : null
}

/** The host and port of a target in absolute form, without the user; null for one in origin form. */
export function authorityOf(target: string): string | null {
  return /^[a-z][a-z0-9+.-]*:\/\/(?:[^/?@]*@)?([^/?]*)/i.exec(target)?.[1] ?? null
}
