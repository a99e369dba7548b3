import { redact } from '@retriever/core'
import type { Redirect } from '../../contract/fetcher.ts'
import { forOtherOrigin } from '../../kit/request-options.ts'
import { enforceAccess, enforceRedirect } from '../policy.ts'
import {
  isFromHere,
  isSameOrigin,
  redirectTarget,
  remarkLeftOut,
  tlsForOtherOrigin,
  tooManyRedirects,
  withReferer,
} from '../redirect.ts'
import { type Hop, lead, type Step } from './hop.ts'

/** Follows redirects, by the rules of the policy. */
export const redirects: Step = async (hop, next) => {
  while (true) {
    const outcome = await next(hop)
    if (outcome.outcome !== 'redirect') return outcome
    follow(hop, outcome)
  }
}

/** Follows one redirect (RFC 9110 15.4). */
function follow(hop: Hop, redirect: Redirect): void {
  const { retrieval, resolution: from, context } = hop
  const { location, shown = location, status } = redirect
  const { policy, limits, resolving, cookies, redirectLogin } = retrieval.settings
  retrieval.cookiesCame ||= redirect.setsCookies === true && cookies === undefined
  const maxRedirects = Math.min(limits.maxRedirects, redirect.maxRedirects ?? limits.maxRedirects)
  if (retrieval.redirects.length >= maxRedirects) {
    throw tooManyRedirects(from, redirect, retrieval.cookiesCame, { ...context, limits: { ...limits, maxRedirects } })
  }
  const to = redirectTarget(from, redirect, resolving, context)
  const isFromInside = isFromHere(from, redirect)
  if (redirect.isAccess === true) {
    enforceAccess(policy, from, to, isFromInside)
    // The access method has been followed.
    const { prospero: _done, ...request } = retrieval.request
    retrieval.request = request
  } else enforceRedirect(policy, from, to, isFromInside)
  const isPointedTo = !isFromInside && !policy.allowInward
  retrieval.nesting = { ...retrieval.nesting, isPointedTo, isNamedByServer: true, base: undefined }
  if (!isSameOrigin(from, to)) {
    // The dropped fields stay dropped, even if a later redirect leads back (threats.md case 15).
    const request = forOtherOrigin(retrieval.request)
    remarkLeftOut(retrieval.request, request, to, context)
    const login = redirectLogin?.(to.url) ?? null
    retrieval.request = login === null ? request : { ...request, login }
    retrieval.nesting = { ...retrieval.nesting, isOtherOrigin: true, tls: tlsForOtherOrigin(retrieval.nesting.tls) }
  }
  retrieval.request = withReferer(retrieval.request, from, to)
  retrieval.redirects.push({ url: context.url, status, location: redact(shown) })
  retrieval.stopwatch.again('redirected')
  context.emit({ type: 'redirected', url: context.url, location: to.url, status })
  lead(hop, to)
}
