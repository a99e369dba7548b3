import type { Asked, AskedRange } from '../../asked.ts'
import { isSecretField } from '../../secrets/secret-fields.ts'

/** The options of an HTTP request, with the values of its two login fields; null means that a field is not sent. */
export interface HttpAsked
  extends Pick<
    Asked,
    | 'accept'
    | 'acceptLanguage'
    | 'acceptEncoding'
    | 'ifRange'
    | 'ifChangedSince'
    | 'ifUnchangedSince'
    | 'ifNoneMatch'
    | 'headers'
  > {
  readonly range?: readonly AskedRange[] | undefined
  readonly authorization?: string | null
  readonly proxyAuthorization?: string | null
}

export type HttpField = readonly [name: string, value: string]

const userAgent = 'Retriever/0.2'

/** The fields of a request behind Host and Connection, in the order of sending, one octet a character. */
export function httpFields(asked: HttpAsked): readonly HttpField[] {
  const { acceptLanguage, range, ifRange, ifChangedSince, ifUnchangedSince, ifNoneMatch, headers } = asked
  const { authorization = null, proxyAuthorization = null } = asked
  const own: HttpField[] = [
    ['User-Agent', userAgent],
    ['Accept', asked.accept ?? '*/*'],
  ]
  if (acceptLanguage !== undefined) own.push(['Accept-Language', acceptLanguage])
  // By default the client asks for the file as the server has it, without a coding.
  own.push(['Accept-Encoding', asked.acceptEncoding ?? 'identity'])
  if (range !== undefined) own.push(['Range', httpRange(range)])
  if (ifRange !== undefined) own.push(['If-Range', ifRange])
  // RFC 9110 13.1.3 and 13.1.4.
  if (ifChangedSince !== undefined) own.push(['If-Modified-Since', ifChangedSince.toUTCString()])
  if (ifUnchangedSince !== undefined) own.push(['If-Unmodified-Since', ifUnchangedSince.toUTCString()])
  if (ifNoneMatch !== undefined) own.push(['If-None-Match', ifNoneMatch])
  if (proxyAuthorization !== null) own.push(['Proxy-Authorization', proxyAuthorization])
  if (authorization !== null) own.push(['Authorization', authorization])
  if (headers === undefined) return own
  const given = Object.entries(headers).filter((field): field is [string, string] => field[1] !== null)
  const replaced = new Set(Object.keys(headers).map((name) => name.toLowerCase()))
  return [...own.filter(([name]) => !replaced.has(name.toLowerCase())), ...given]
}

/** The value of the field Range (RFC 9110 14.1.1): `bytes=0-9,-5`. */
export function httpRange(ranges: readonly AskedRange[]): string {
  return `bytes=${ranges.map(([first, last]) => (first < 0 ? String(first) : `${first}-${last ?? ''}`)).join(',')}`
}

/** The octets of a request of HTTP/1.1 without a body. */
export function httpHead(method: string, target: string, host: string, fields: readonly HttpField[]): string {
  return beginning(method, target, host) + linesOf(fields)
}

/** httpHead() with `<password>` in place of what may be secret. The scheme of a login is shown. */
export function shownHttpHead(method: string, target: string, host: string, fields: readonly HttpField[]): string {
  return httpHead(
    method,
    target,
    host,
    fields.map(([name, value]) => [name, shownValue(name, value)]),
  )
}

/** The value of a field with `<password>` in place of what may be secret. */
export function shownValue(name: string, value: string): string {
  if (/authorization$/i.test(name)) return `${/^[\w-]+(?= )/.exec(value)?.[0] ?? ''} <password>`.trim()
  return isSecretField(name) ? '<password>' : value
}

function beginning(method: string, target: string, host: string): string {
  return `${method} ${target} HTTP/1.1\r\nHost: ${host}\r\nConnection: keep-alive\r\n`
}

function linesOf(fields: readonly HttpField[]): string {
  return `${fields.map(([name, value]) => `${name}: ${value}\r\n`).join('')}\r\n`
}

/** The fields of nearly every request: the caller asks for nothing special, and the URL has no login. */
const usualLines = linesOf(httpFields({}))

/** Why each part of a request within TLS cannot be known in advance. */
const overTls = { 'HTTP/1.1': 'HTTP/2, if the server chooses it within TLS: the same fields in binary frames' }
const segments = '<segments>'
const furtherSegments = { [segments]: 'requests for the other parts, once the answer has told how many there are' }

/** The wire of a plan with the caller's options, and which of its parts are unknown. */
export function httpSent(
  target: string,
  host: string,
  hasLogin: boolean,
  isTls: boolean,
  asked: Asked,
): { readonly wire: readonly string[]; readonly unknown?: Readonly<Record<string, string>> } {
  const request = httpWire(target, host, hasLogin, asked)
  const isSplit = asked.segment !== undefined
  if (isSplit) return { wire: [request, segments], unknown: { ...(isTls && overTls), ...furtherSegments } }
  return isTls && asked.http2 !== false ? { wire: [request], unknown: overTls } : { wire: [request] }
}

/**
 * The request of a plan with the caller's options, secrets masked. `hasLogin` means that the URL has a user and a
 * password, which go with the first request by Basic (RFC 7617).
 */
export function httpWire(target: string, host: string, hasLogin: boolean, asked: Asked): string {
  if (!hasLogin && Object.keys(asked).length === 0) return beginning('GET', target, host) + usualLines
  const { head, range, resumeFrom = 0, ifRange, segment, virtualHost = host, login = hasLogin, digest } = asked
  const method = head === true ? 'HEAD' : 'GET'
  const first = segment === undefined ? range : ([0, segment - 1] as const)
  const ranges = first === undefined ? undefined : isSeveral(first) ? first : [first]
  // Range has no meaning for HEAD (RFC 9110 14.2).
  const rest = resumeFrom > 0 && head !== true
  const fields = httpFields({
    ...asked,
    range: rest ? [[resumeFrom, null]] : ranges,
    ifRange: rest ? ifRange : undefined,
    authorization: login && digest !== true ? 'Basic <password>' : null,
    proxyAuthorization: asked.proxyLogin === true ? 'Basic <password>' : null,
  })
  return shownHttpHead(method, target, virtualHost, fields)
}

function isSeveral(range: NonNullable<Asked['range']>): range is readonly AskedRange[] {
  return Array.isArray(range[0])
}
