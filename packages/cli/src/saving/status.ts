import { RetrievalError } from '@retriever/core'
import type { Representation } from '@retriever/fetchers'
import type { Config } from '../config.ts'

/** Throws for --fail-with-body if the HTTP status is 400 or above. It is called after the body has been written. */
export function checkStatus(representation: Representation, { failWithBody }: Config): void {
  if (!failWithBody || representation.mechanism !== 'http') return
  const { url, metadata } = representation
  const { status } = metadata
  if (status < 400) return
  const message = `${url}: The server answered ${status}; the body is its explanation.`
  throw new RetrievalError('http-error', message, { phase: 'request', url, status })
}

/** Throws for --fail-with-body, before the body is written, if a redirect came that must not be followed. */
export function checkRedirect(representation: Representation, { failWithBody, client }: Config): void {
  if (!failWithBody || representation.mechanism !== 'http' || client.limits?.maxRedirects !== 0) return
  const { url, metadata } = representation
  const { status, headers } = metadata
  if (status < 300 || status > 399 || headers.location === undefined) return
  const message = `${url}: It redirects, but no redirects are allowed.`
  throw new RetrievalError('too-many-redirects', message, { phase: 'request', url, status })
}
