import { type ErrorCode, formatLocator, type Resolution, RetrievalError, redact } from '@retriever/core'
import type { Deadline } from '../../contract/deadline.ts'
import type { ErrorExtras, RetrievalContext } from '../../contract/fetcher.ts'
import { isPromise } from '../../kit/listeners.ts'
import { handoffOf } from '../handoff/handoff-of.ts'
import type { Retrieval } from '../retrieval.ts'

/** A context to which the steps add cookies, logins, and what belongs to a try. */
export type HopContext = Omit<RetrievalContext, Added> & Writable<Pick<RetrievalContext, Added>>
type Writable<T> = { -readonly [Name in keyof T]: T[Name] }
type Added = 'cookies' | 'credentials' | 'acceptedLogins' | 'proxy' | 'retrieve'

/** What the fetcher of a URL gets from its retrieval. */
export function contextOf(retrieval: Retrieval, resolution: Resolution): HopContext {
  const { settings, deadline, nesting, events, id } = retrieval
  const { limits, addresses, onHead, onBody } = settings
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
    credentials: unknownLogin,
    retrieve: (reference, options) => retrieval.within(resolution, reference, options),
    handoff: () => handoffOf(resolution),
    emit: (event) => events.emit(event, shownUrl),
    cookies: undefined,
    onHead: onHead && ((octets) => listen('onHead', () => onHead(octets), deadline, url)),
    onBody: onBody && ((octets) => listen('onBody', () => onBody(octets, id), deadline, url)),
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

/** Calls a listener. If it throws, or its promise rejects, the retrieval ends, and the error names the listener. */
function listen(name: string, call: () => unknown, deadline: Deadline, url: string): void {
  const thrown = (cause: unknown): RetrievalError => {
    if (RetrievalError.is(cause)) return cause
    const message = `${redact(url)}: The ${name} listener threw (${String(cause)}).`
    return new RetrievalError('aborted', message, { phase: deadline.phase, url, cause })
  }
  try {
    const returned = call()
    if (isPromise(returned)) returned.then(undefined, (cause: unknown) => deadline.fail(thrown(cause)))
  } catch (cause) {
    throw thrown(cause)
  }
}

async function unknownLogin(): Promise<null> {
  return null
}
