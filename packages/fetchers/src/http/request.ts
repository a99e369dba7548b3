import { authority, type HttpPlan } from '@retriever/core'
import type { Dispatcher } from 'undici'
import type { OctetRange, RequestOptions, RetrievalContext } from '../plugin/fetcher.ts'
import type { ProxyServer } from '../plugin/network.ts'
import { givesField } from '../plugin/request-options.ts'
import { acceptEncoding } from './coding/coding.ts'
import type { RangeRequest } from './exchange.ts'

/** A request for undici. */
export interface Request {
  readonly options: Dispatcher.DispatchOptions
  /** The octets of the request, with secrets masked. */
  readonly shown: () => string
}

const userAgent = 'Retriever/0.1'

/** The values of the fields Authorization and Proxy-Authorization; null: the field is not sent. */
export interface Logins {
  readonly authorization: string | null
  readonly proxyAuthorization: string | null
}

export function methodOf({ head }: RequestOptions): 'GET' | 'HEAD' {
  return head === true ? 'HEAD' : 'GET'
}

/** The fields of a request, except Host, one octet a character. */
export function requestFields(
  request: RequestOptions,
  { range, ifRange }: RangeRequest,
  logins: Logins,
): [name: string, value: string][] {
  const own: [name: string, value: string][] = [
    ['User-Agent', userAgent],
    ['Accept', request.accept ?? '*/*'],
  ]
  if (request.acceptLanguage !== undefined) own.push(['Accept-Language', request.acceptLanguage])
  // By default a download is what the server has, without a coding.
  own.push(['Accept-Encoding', acceptEncoding(request)])
  if (range !== undefined) own.push(['Range', rangeField([range])])
  if (ifRange !== undefined) own.push(['If-Range', ifRange])
  // RFC 9110 13.1.3 and 13.1.4.
  if (request.ifChangedSince !== undefined) own.push(['If-Modified-Since', request.ifChangedSince.toUTCString()])
  if (request.ifUnchangedSince !== undefined) own.push(['If-Unmodified-Since', request.ifUnchangedSince.toUTCString()])
  if (request.ifNoneMatch !== undefined) own.push(['If-None-Match', request.ifNoneMatch])
  if (logins.proxyAuthorization !== null) own.push(['Proxy-Authorization', logins.proxyAuthorization])
  if (logins.authorization !== null) own.push(['Authorization', logins.authorization])
  if (request.headers === undefined) return own
  const given = Object.entries(request.headers).filter((field): field is [string, string] => field[1] !== null)
  return [...own.filter(([name]) => !givesField(request, name.toLowerCase())), ...given]
}

/** The value of the field Range (RFC 9110 14.1.1): `bytes=0-9,-5`. */
export function rangeField(ranges: readonly OctetRange[]): string {
  return `bytes=${ranges.map(([first, last]) => (first < 0 ? String(first) : `${first}-${last ?? ''}`)).join(',')}`
}

/** Makes the GET or HEAD of exactly plan.target. */
export function makeRequest(
  plan: HttpPlan,
  request: RequestOptions,
  rangeRequest: RangeRequest,
  logins: Logins,
): Request {
  const method = methodOf(request)
  const fields = requestFields(request, rangeRequest, logins)
  const host = request.virtualHost ?? hostField(plan)
  const headers = ['Host', host]
  for (const [name, value] of fields) headers.push(name, value)
  const shown = (): string => {
    // These are the lines that undici writes: it puts these two first, with names in lower case.
    const lines = [`${method} ${plan.target} HTTP/1.1`, `host: ${host}`, 'connection: keep-alive']
    for (const [name, value] of fields) lines.push(`${name}: ${shownValue(name, value)}`)
    return `${lines.join('\r\n')}\r\n\r\n`
  }
  // Without `reset`, undici closes after HEAD, since some servers send a body then; here the body ends the connection.
  return { options: { method, path: plan.target, headers, reset: false }, shown }
}

/**
 * The value of a field, harmless to show. The scheme of a login is no secret; the rest of it is, and so are the values
 * of other fields that may hold one.
 */
function shownValue(name: string, value: string): string {
  if (/authorization$/i.test(name)) return `${/^[\w-]+(?= )/.exec(value)?.[0] ?? ''} <password>`.trim()
  return isSecret(name) ? '<password>' : value
}

/** Words of secrets anywhere in a name; `auth` is not one in `Author` and `Authority`. */
const secretPart =
  /auth(?!or(?:s|ity)?(?:$|[-_]))|cookie|credential|jwt|key|passphrase|passw|secret|sess(?:ion|id)|signature|token/i
/** Words of secrets that are too short to be looked for within others. */
const secretWord =
  /(?:^|[-_])(?:assertion|bearer|csrf|hmac|login|nonce|otp|pass(?:code)?|pin|pwd|saml|sid|sig|ticket|xsrf)(?:$|[-_])/i
/** Fields that name what the server demands or allows, and hold no secret. */
const harmless = /^(?:(?:www|proxy)-authenticate|access-control-.*)$/i

/** Whether a field may hold a secret, such as a token or cookie (security.md case 47: secrets in logs and errors). */
export function isSecret(name: string): boolean {
  return !harmless.test(name) && (secretPart.test(name) || secretWord.test(name))
}

/** The authority of the target if that is in absolute form, else of the plan (RFC 9112 3.2). */
function hostField(plan: HttpPlan): string {
  return authorityOf(plan.target) ?? authority(plan, plan.tls === 'none' ? 80 : 443)
}

/**
 * The proxy that is asked for the URL itself (RFC 9112 3.2.2): the plan's target is in absolute form then. Null: the
 * server is asked, perhaps through a tunnel.
 */
export function forwarder({ target }: HttpPlan, { proxy }: RetrievalContext): ProxyServer | null {
  return proxy && authorityOf(target) !== null ? proxy : null
}

/** The host and port of a target in absolute form, without the user; null for one in origin form. */
function authorityOf(target: string): string | null {
  return /^[a-z][a-z0-9+.-]*:\/\/(?:[^/?@]*@)?([^/?]*)/i.exec(target)?.[1] ?? null
}

/** The path and query of a target in either form (RFC 9112 3.2). */
export function originForm(target: string): string {
  const path = target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?]*/i, '')
  return path.startsWith('/') ? path : `/${path}`
}
