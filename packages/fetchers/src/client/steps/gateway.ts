import { resolveBy } from '@retriever/core/internal'
import { forOtherOrigin } from '../../kit/request-options.ts'
import { enforce } from '../policy.ts'
import { tlsForOtherOrigin } from '../redirect.ts'
import { lead, type Step } from './hop.ts'
import { resolved } from './resolved-event.ts'

/** Leads to the URL at the gateway, which is another origin, if the caller has one for the scheme (RFC 1738 4). */
export const gateway: Step = (hop, next) => {
  const { retrieval, resolution, context } = hop
  if (resolution.gateway === undefined) return next(hop)
  const { policy, resolving } = retrieval.settings
  if (retrieval.events.hears('resolved')) context.emit(resolved(resolution, context.url, resolving))
  enforce(policy, resolution)
  const { gateways: _gateways, ...direct } = resolving
  const { request, nesting } = retrieval
  retrieval.request = forOtherOrigin(request)
  retrieval.nesting = { ...nesting, isOtherOrigin: true, isAtGateway: true, tls: tlsForOtherOrigin(nesting.tls) }
  lead(hop, resolveBy(resolution.gateway, direct))
  return next(hop)
}
