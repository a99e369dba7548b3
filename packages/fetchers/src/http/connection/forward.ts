import { channel } from 'node:diagnostics_channel'
import type { HttpPlan } from '@retriever/core'
import type { RetrievalContext } from '../../plugin/fetcher.ts'
import type { ProxyServer } from '../../plugin/network.ts'

/**
 * The proxy that is asked for the URL itself (RFC 9112 3.2.2), as the plan's target in absolute form says; null where the server is
 * asked, if through a tunnel.
 */
export function forwarder({ target }: HttpPlan, { proxy }: RetrievalContext): ProxyServer | null {
  return proxy && authorityOf(target) !== null ? proxy : null
}

/** The host and port of a target in absolute form, without the user; null for one in origin form. */
export function authorityOf(target: string): string | null {
  return /^[a-z][a-z0-9+.-]*:\/\/(?:[^/?@]*@)?([^/?]*)/i.exec(target)?.[1] ?? null
}

const created = channel('undici:request:create')

/**
 * Runs what makes an undici request with the given target, which undici's own check would refuse: it lets no scheme but http and
 * https stand in one. The documented hook for tracing hands over each request while it is made, and is listened to for so long alone.
 */
export function makingRequest(target: string, make: (accepted: string) => void): void {
  if (/^(?:\/|https?:)/.test(target)) {
    make(target)
    return
  }
  const setTarget = (message: unknown): void => {
    const { request } = message as { readonly request: { path: string } }
    request.path = target
  }
  created.subscribe(setTarget)
  try {
    make('/')
  } finally {
    created.unsubscribe(setTarget)
  }
}
