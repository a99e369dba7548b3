import {
  formatLocator,
  type Locator,
  printable,
  type Resolution,
  RetrievalError,
  redact,
  resolveReference,
} from '@retriever/core'
import { adviceText, type FindingOptions, isInward, resolveBy, splitBy } from '@retriever/core/internal'
import type { Redirect, RequestOptions, RetrievalContext } from '../contract/fetcher.ts'
import type { TlsOptions } from '../contract/network.ts'
import { hostOf, redirectedTo } from './policy.ts'

/** The resolution of a redirect's target. Throws for text that is no URL, or a URL of an unknown scheme. */
export function redirectTarget(
  from: Resolution,
  { location, shown = location, status }: Redirect,
  resolving: FindingOptions,
  context: RetrievalContext,
): Resolution {
  try {
    const target = splitBy(resolveReference(location, from.url), resolving.find).locator
    // The fragment is inherited (RFC 9110 10.2.2).
    const locator = { ...target, fragment: target.fragment ?? from.locator.fragment }
    return withLoginOf(from, locator, resolving)
  } catch (cause) {
    const unknown = RetrievalError.is(cause) && cause.code === 'unknown-scheme'
    const why = unknown ? `${redirectedTo(from.scheme.mechanism)} may be redirected to` : 'it is not a valid URL'
    const message = `The redirect to "${printable(redact(shown)).slice(0, 300)}" was not followed: ${why}.`
    // The cause shows the Location as it came.
    const details = { status, phase: 'policy', ...(shown === location && { cause }) } as const
    throw context.error(unknown ? 'refused' : 'protocol-violation', message, details)
  }
}

/**
 * The resolution of a URL that a server wrote. Its userinfo is dropped (threats.md case 48: userinfo in Location); the
 * caller's stays with its origin (case 15: no credentials to another origin).
 */
export function withLoginOf(from: Resolution, locator: Locator, resolving: FindingOptions): Resolution {
  const bare = resolveBy(formatLocator({ ...locator, user: null, password: null }), resolving)
  const { user, password } = from.locator
  if (user === null || !isSameOrigin(from, bare)) return bare
  return resolveBy(formatLocator({ ...locator, user, password }), resolving)
}

/**
 * Whether this machine, or one on its link, sent the redirect. The address of the connection decides, because a name
 * may lead to another address at the next lookup (DNS rebinding, threats.md case 21). If a proxy or a cache answered,
 * only a URL that names this machine itself counts, such as `http://localhost/`.
 */
export function isFromHere(from: Resolution, { peerAddress }: Pick<Redirect, 'peerAddress'>): boolean {
  return isInward(peerAddress ?? hostOf(from))
}

export function isSameOrigin(one: Resolution, other: Resolution): boolean {
  const origin = ({ scheme, plan }: Resolution): string =>
    'port' in plan ? JSON.stringify([scheme.name, plan.host, plan.port]) : ''
  return origin(one) !== '' && origin(one) === origin(other)
}

/** Whether Referer is not the caller's, but that of the redirect before. */
function isOurs({ http }: RequestOptions, name: string): boolean {
  return http?.autoReferer === true && /^referer$/i.test(name)
}

/** With `http.autoReferer`, the request with the URL that redirects as Referer; to another origin only the origin. */
export function withReferer(request: RequestOptions, from: Resolution, to: Resolution): RequestOptions {
  if (request.http?.autoReferer !== true) return request
  const others = Object.entries(request.headers ?? {}).filter(([name]) => !isOurs(request, name))
  const { scheme, host, port, urlPath, query } = from.locator
  const place = isSameOrigin(from, to) ? { urlPath, query } : { urlPath: '', query: null }
  const url = formatLocator({ scheme, host, port, ...place, user: null, password: null, fragment: null })
  return { ...request, headers: { ...Object.fromEntries(others), Referer: url } }
}

/** The error for one redirect more than limits.maxRedirects. `cookiesCame`: this or an earlier redirect set cookies. */
export function tooManyRedirects(
  { plan }: Resolution,
  { location, shown = location, status }: Redirect,
  cookiesCame: boolean,
  { limits, error }: RetrievalContext,
): RetrievalError {
  const to = `"${redact(shown)}"`
  if (limits.maxRedirects === 0) {
    // Gemini and RTSP have no answer to show beside the redirect.
    const isHttp = plan.mechanism === 'http'
    const advice = isHttp
      ? ({ option: 'http.fail', value: false } as const)
      : ({ option: 'limits.maxRedirects' } as const)
    const remedy = `${adviceText(advice)} ${isHttp ? 'shows the answer' : 'allows some'}`
    const message = `It redirects to ${to}, but no redirects are allowed; ${remedy}.`
    return error('too-many-redirects', message, { status, advice })
  }
  const message = `More than ${limits.maxRedirects} redirects; the last one points to ${to}.`
  if (!cookiesCame) return error('too-many-redirects', message, { status })
  const advice = { option: 'cookies' } as const
  const wanted = 'They set cookies, which are not kept, and the server may wait for them.'
  const remedy = `Keep cookies by ${adviceText(advice)}.`
  return error('too-many-redirects', `${message} ${wanted} ${remedy}`, { status, advice })
}

/** Emits a remark that names the caller's fields that are not sent to another origin. */
export function remarkLeftOut(
  before: RequestOptions,
  after: RequestOptions,
  to: Resolution,
  { emit, url }: RetrievalContext,
): void {
  const isKept = (name: string): boolean => Object.hasOwn(after.headers ?? {}, name) || isOurs(before, name)
  const host = before.http?.virtualHost === undefined ? [] : ['Host']
  const names = [...Object.keys(before.headers ?? {}).filter((name) => !isKept(name)), ...host]
  if (names.length === 0) return
  const shown = [names.slice(0, -1).join(', '), names.at(-1)].filter((part) => part !== '').join(' and ')
  const what = `${shown} of your header fields ${names.length > 1 ? 'are' : 'is'} not sent to ${hostOf(to)}`
  emit({ type: 'remark', url, message: `${what}, because it is another origin.` })
}

export function tlsForOtherOrigin({ cert: _cert, key: _key, passphrase: _passphrase, ...tls }: TlsOptions): TlsOptions {
  return tls
}
