import { authority, type HttpPlan } from '@retriever/core'
import type { Dispatcher } from 'undici'
import type { RequestOptions } from '../plugin/fetcher.ts'
import { givesField } from '../plugin/request-options.ts'
import { acceptEncoding } from './coding/coding.ts'
import { authorityOf } from './connection/forward.ts'
import type { RangeRequest } from './exchange.ts'

/** A request for undici, and the same as octets with what is secret in it left out. */
export interface Request {
  readonly options: Dispatcher.DispatchOptions
  readonly shown: () => string
}

const userAgent = 'Retriever/0.1'

/** The values of the two fields, or null. */
export interface Logins {
  readonly authorization: string | null
  readonly proxyAuthorization: string | null
}

export function methodOf({ head }: RequestOptions): 'GET' | 'HEAD' {
  return head === true ? 'HEAD' : 'GET'
}

/** The fields of a request, all but Host, one octet a character. */
export function requestFields(
  request: RequestOptions,
  asking: RangeRequest,
  logins: Logins,
): [name: string, value: string][] {
  const own: [name: string, value: string][] = [
    ['User-Agent', userAgent],
    ['Accept', request.accept ?? '*/*'],
    ...acceptLanguage(request),
    // Unless the caller wants otherwise, downloads are what the server keeps.
    ['Accept-Encoding', acceptEncoding(request)],
  ]
  if (asking.range !== undefined) own.push(['Range', `bytes=${asking.range[0]}-${asking.range[1] ?? ''}`])
  if (asking.ifRange !== undefined) own.push(['If-Range', asking.ifRange])
  // RFC 9110 13.1.3.
  if (request.ifChangedSince !== undefined) own.push(['If-Modified-Since', request.ifChangedSince.toUTCString()])
  if (request.ifNoneMatch !== undefined) own.push(['If-None-Match', request.ifNoneMatch])
  if (logins.proxyAuthorization !== null) own.push(['Proxy-Authorization', logins.proxyAuthorization])
  if (logins.authorization !== null) own.push(['Authorization', logins.authorization])
  if (request.headers === undefined) return own
  return [...own.filter(([name]) => !givesField(request, name.toLowerCase())), ...Object.entries(request.headers)]
}

function acceptLanguage({ acceptLanguage }: RequestOptions): [name: string, value: string][] {
  return acceptLanguage === undefined ? [] : [['Accept-Language', acceptLanguage]]
}

/** GET or HEAD of exactly plan.target. */
export function makeRequest(plan: HttpPlan, request: RequestOptions, asking: RangeRequest, logins: Logins): Request {
  const method = methodOf(request)
  const fields = requestFields(request, asking, logins)
  const host = hostField(plan)
  const headers = ['Host', host]
  for (const [name, value] of fields) headers.push(name, value)
  const shown = (): string => {
    // Line for line what undici writes, which puts these two first and their names in lower case.
    const lines = [`${method} ${plan.target} HTTP/1.1`, `host: ${host}`, 'connection: keep-alive']
    for (const [name, value] of fields) lines.push(`${name}: ${shownValue(name, value)}`)
    return `${lines.join('\r\n')}\r\n\r\n`
  }
  // undici would close after HEAD, since some servers send a body then: such a connection ends here by itself.
  return { options: { method, path: plan.target, headers, reset: false }, shown }
}

/** The kind of a login is no secret; what follows it is, and so is what else may hold one. */
function shownValue(name: string, value: string): string {
  if (/authorization$/i.test(name)) return `${/^[\w-]+(?= )/.exec(value)?.[0] ?? ''} <password>`.trim()
  return isSecret(name) ? '<password>' : value
}

/** Words of a login anywhere in a name; `auth` is none in `Author` and `Authority`. */
const secretPart =
  /auth(?!or(?:s|ity)?(?:$|[-_]))|cookie|credential|jwt|key|passphrase|passw|secret|sess(?:ion|id)|signature|token/i
/** Words that are too short to be looked for within others. */
const secretWord =
  /(?:^|[-_])(?:assertion|bearer|csrf|hmac|login|nonce|otp|pass(?:code)?|pin|pwd|saml|sid|sig|ticket|xsrf)(?:$|[-_])/i
/** These say what is wanted, and hold nothing. */
const open = /^(?:(?:www|proxy)-authenticate|access-control-.*)$/i

/** Whether a field may hold what shows who asks, or lets others ask in their name (security.md case 47). */
export function isSecret(name: string): boolean {
  return !open.test(name) && (secretPart.test(name) || secretWord.test(name))
}

/** RFC 9112 3.2: the target's own, where it is in absolute form. */
function hostField(plan: HttpPlan): string {
  return authorityOf(plan.target) ?? authority(plan, plan.tls === 'none' ? 80 : 443)
}
