import { encodeOctets, type Resolution, type RetrievalError } from '@retriever/core'
import { authority } from '@retriever/core/internal'
import type { RetrievalContext } from '../contract/fetcher.ts'

/**
 * The resolution of the service that a URL leads to: a Gopher item of type 8 is a Telnet service, whose selector is the
 * name to log in with (RFC 1436 3.8); all others are themselves.
 */
export function serviceOf(resolution: Resolution, resolve: (url: string) => Resolution): Resolution {
  const { plan } = resolution
  if (plan.mechanism !== 'gopher' || plan.gophertype !== '8') return resolution
  const user = plan.selector === '' ? '' : `${encodeOctets(plan.selector)}@`
  return resolve(`telnet://${user}${authority(plan, null)}/`)
}

/** The error for a URL that no session can be opened for. */
export function noSession({ scheme }: Resolution, context: RetrievalContext): RetrievalError {
  if (scheme.handoff || scheme.session === false) {
    const hint = scheme.hint ?? 'A program of its own opens it.'
    return context.error('handoff', `No session can be opened for ${scheme.name} URLs. ${hint}`, { phase: 'resolve' })
  }
  const message = `A ${scheme.name} URL names data and no service; retrieve it.`
  return context.error('no-fetcher', message, { phase: 'resolve' })
}
