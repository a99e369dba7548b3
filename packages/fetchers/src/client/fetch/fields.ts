import type { FetchRequest, ReferrerPolicy } from './request.ts'

/**
 * The header fields by which HTTP's own caches obey the member `cache` (RFC 9111 5.2.1), ours among them. Node's fetch
 * sends the same for `reload` and `no-cache`.
 */
const cacheFields: Readonly<Record<FetchRequest['cache'], Readonly<Record<string, string>>>> = {
  default: {},
  'no-store': { pragma: 'no-cache', 'cache-control': 'no-cache, no-store' },
  reload: { pragma: 'no-cache', 'cache-control': 'no-cache' },
  'no-cache': { 'cache-control': 'max-age=0' },
  'force-cache': { 'cache-control': 'max-stale' },
}

/** The header fields of an HTTP request: the caller's, and those for `cache` and `referrer`; null: there are none. */
export function httpFields(request: FetchRequest): Readonly<Record<string, string>> | null {
  const { headers, cache, referrer, referrerPolicy, url } = request
  const referer = referrer === '' ? null : refererOf(new URL(referrer), new URL(url), referrerPolicy)
  if (headers === null && cache === 'default' && referer === null) return null
  const own = { ...cacheFields[cache], ...(referer !== null && { referer }) }
  return { ...own, ...ownFields(headers) }
}

/** The caller's header fields; an empty object if there are none. */
export function ownFields(headers: Headers | null): Readonly<Record<string, string>> {
  return headers === null ? {} : Object.fromEntries(headers)
}

interface Link {
  readonly isSameOrigin: boolean
  /** True: it leads from TLS to plain text. */
  readonly isDowngrade: boolean
  readonly origin: string
  /** The whole URL of the page, without login and fragment. */
  readonly whole: string
}

/** The Referer of each policy (Referrer Policy 8.3). */
const referers: Readonly<Record<ReferrerPolicy, (link: Link) => string | null>> = {
  '': (link) => referers['strict-origin-when-cross-origin'](link),
  'no-referrer': () => null,
  'no-referrer-when-downgrade': ({ whole, isDowngrade }) => (isDowngrade ? null : whole),
  'same-origin': ({ whole, isSameOrigin }) => (isSameOrigin ? whole : null),
  origin: ({ origin }) => origin,
  'strict-origin': ({ origin, isDowngrade }) => (isDowngrade ? null : origin),
  'origin-when-cross-origin': ({ whole, origin, isSameOrigin }) => (isSameOrigin ? whole : origin),
  'strict-origin-when-cross-origin': ({ whole, origin, isSameOrigin, isDowngrade }) =>
    isSameOrigin ? whole : isDowngrade ? null : origin,
  'unsafe-url': ({ whole }) => whole,
}

function refererOf(page: URL, target: URL, policy: ReferrerPolicy): string | null {
  if (!/^https?:$/.test(page.protocol)) return null
  const whole = `${page.origin}${page.pathname}${page.search}`
  const origin = `${page.origin}/`
  return referers[policy]({
    isSameOrigin: page.origin === target.origin,
    isDowngrade: page.protocol === 'https:' && target.protocol === 'http:',
    origin,
    // Referrer Policy 8.3: a longer one is cut to its origin.
    whole: whole.length > 4096 ? origin : whole,
  })
}
