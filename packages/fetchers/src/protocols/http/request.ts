import { authority, type HttpPlan, httpFields, httpHead, shownHttpHead } from '@retriever/core/internal'
import type { RequestOptions, RetrievalContext } from '../../contract/fetcher.ts'
import type { ProxyServer } from '../../contract/network.ts'
import { acceptEncoding } from './coding/coding.ts'
import type { RangeRequest } from './exchange.ts'

/** A request that is ready to be sent. */
export interface HttpRequest {
  readonly method: 'GET' | 'HEAD'
  readonly target: string
  /** The value of Host. It names a virtual host if the caller gives one. */
  readonly host: string
  /** Its fields, except Host and Connection. */
  readonly fields: readonly (readonly [name: string, value: string])[]
  /** The octets that HTTP/1.1 sends. */
  readonly octets: string
  /** The same octets with secrets masked. */
  readonly shown: () => string
}

/** The values of Authorization and Proxy-Authorization. Null: the field is not sent. */
export interface Logins {
  readonly authorization: string | null
  readonly proxyAuthorization: string | null
}

export function methodOf({ head }: RequestOptions): 'GET' | 'HEAD' {
  return head === true ? 'HEAD' : 'GET'
}

/** Returns the fields of a request, except Host and Connection, one octet a character. */
export function requestFields(
  request: RequestOptions,
  { range, ifRange }: RangeRequest,
  { authorization, proxyAuthorization }: Logins,
): readonly (readonly [name: string, value: string])[] {
  const { accept, acceptLanguage, ifChangedSince, ifUnchangedSince, headers } = request
  // A copy of all options would take longer than all else here.
  return httpFields({
    accept,
    acceptLanguage,
    acceptEncoding: acceptEncoding(request),
    range: range && [range],
    ifRange,
    ifChangedSince,
    ifUnchangedSince,
    ifNoneMatch: request.http?.ifNoneMatch,
    headers,
    authorization,
    proxyAuthorization,
  })
}

/** Makes the GET or HEAD of exactly plan.target. */
export function makeRequest(
  plan: HttpPlan,
  request: RequestOptions,
  rangeRequest: RangeRequest,
  logins: Logins,
): HttpRequest {
  const method = methodOf(request)
  const fields = requestFields(request, rangeRequest, logins)
  const host = request.http?.virtualHost ?? hostField(plan)
  return {
    method,
    target: plan.target,
    host,
    fields,
    octets: httpHead(method, plan.target, host, fields),
    shown: () => shownHttpHead(method, plan.target, host, fields),
  }
}

/**
 * Whether a request has only characters that HTTP allows in its places (RFC 9112 3, RFC 9110 5.5). If a part had a line
 * end, there would be more lines than parts.
 */
export function isSendable({ octets, fields }: HttpRequest): boolean {
  let lines = 0
  for (let at = octets.indexOf('\n'); at >= 0; at = octets.indexOf('\n', at + 1)) lines++
  // The request line, Host, Connection and the blank line come in addition.
  return lines === fields.length + 4 && requestSyntax.test(octets)
}

const requestSyntax =
  /^(?:GET|HEAD) [\x21-\x7E\x80-\xFF]+ HTTP\/1\.1\r\n(?:[\w!#$%&'*+.^`|~-]+: [\t\x20-\x7E\x80-\xFF]*\r\n)+\r\n$/

/** Returns the authority of the target if that is in absolute form, else of the plan (RFC 9112 3.2). */
function hostField(plan: HttpPlan): string {
  return authorityOf(plan.target) ?? authority(plan, plan.tls === 'none' ? 80 : 443)
}

/**
 * Returns the proxy that is asked for the URL itself (RFC 9112 3.2.2): the plan's target is then in absolute form.
 * Null: the server is asked, perhaps through a tunnel.
 */
export function forwarder({ target }: HttpPlan, { proxy }: RetrievalContext): ProxyServer | null {
  return proxy && authorityOf(target) !== null ? proxy : null
}

/** Returns host and port of a target in absolute form, without the user. Null for a target in origin form. */
function authorityOf(target: string): string | null {
  return /^[a-z][a-z0-9+.-]*:\/\/(?:[^/?@]*@)?([^/?]*)/i.exec(target)?.[1] ?? null
}

/** Returns the path and query of a target in either form (RFC 9112 3.2). */
export function originForm(target: string): string {
  const path = target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?]*/i, '')
  return path.startsWith('/') ? path : `/${path}`
}
