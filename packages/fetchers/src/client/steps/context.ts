import { adviceText, type ErrorCode, formatLocator, type Resolution, RetrievalError, redact } from '@retriever/core'
import type { ErrorExtras, RetrievalContext } from '../../contract/fetcher.ts'
import { askCredentials } from '../credentials.ts'
import { handoffOf } from '../handoff/handoff-of.ts'
import type { Retrieval } from '../retrieval.ts'

/** What the fetcher of a URL gets from its retrieval. */
export function contextOf(retrieval: Retrieval, resolution: Resolution): RetrievalContext {
  const { settings, deadline, nesting, events, id } = retrieval
  const { limits, credentials, acceptedLogins, addresses, onBody } = settings
  const url = formatLocator({ ...resolution.locator, password: null })
  let redacted: string | undefined
  // Only events and errors show it.
  const shownUrl = (): string => {
    redacted ??= redact(url)
    return redacted
  }
  return {
    url,
    deadline,
    limits,
    tls: nesting.tls,
    proxy: null,
    network: settings.network,
    addresses: nesting.isPointedTo ? addresses.pointedTo : addresses.asked,
    request: retrieval.request,
    retries: retrieval.retries,
    stopwatch: retrieval.stopwatch,
    isOtherOrigin: nesting.isOtherOrigin,
    isAtGateway: nesting.isAtGateway,
    base: nesting.base,
    // RFC 1738 4: the caller's logins are for the URL's own server, even if the gateway has the same host and port.
    ...(nesting.isAtGateway
      ? { credentials: async () => noLoginForGateway(retrieval, shownUrl()) }
      : { credentials: (challenge) => askCredentials(credentials, challenge, deadline), acceptedLogins }),
    retrieve: (reference, options) => retrieval.within(resolution, reference, options),
    handoff: () => handoffOf(resolution),
    emit: (event) => events.emit(event, shownUrl),
    cookies: settings.cookies,
    onHead: settings.onHead,
    onBody: onBody && ((octets) => onBody(octets, id)),
    hasListener: events.isHeard,
    error: (code: ErrorCode, message: string, extras: ErrorExtras = {}) =>
      new RetrievalError(code, `${shownUrl()}: ${redact(message)}`, {
        phase: deadline.phase,
        url,
        ...extras,
        // A server's reply may repeat secrets of the request.
        ...(extras.reply !== undefined && { reply: redact(extras.reply) }),
      }),
  }
}

function noLoginForGateway({ events }: Retrieval, url: string): null {
  const advice = { option: 'gateways', value: 'SCHEME' } as const
  const message = `The gateway wants a login of its own, and gets none of yours: write it in ${adviceText(advice)}.`
  events.emit({ type: 'remark', url, message, advice }, () => url)
  return null
}
