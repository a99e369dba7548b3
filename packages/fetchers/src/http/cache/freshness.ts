import { hasInvalidCacheControlDirective, parseCacheControlHeader } from 'undici/lib/util/cache.js'
import { parseHttpDate } from 'undici/lib/util/date.js'

export type Directives = ReturnType<typeof parseCacheControlHeader>

/** An answer, and when it came. */
export interface Dated {
  readonly status: number
  /** By lower-case name. */
  readonly fields: Readonly<Record<string, string>>
  /** When the request was sent and the answer's head came, in milliseconds since 1970. */
  readonly requestTime: number
  readonly responseTime: number
}

/** RFC 9110 15.1, without 206: parts are not kept. */
const heuristicallyCacheable: ReadonlySet<number> = new Set([200, 203, 204, 300, 301, 308, 404, 405, 410, 414, 501])
/** Kept only where the server says for how long. */
const explicitlyCacheable: ReadonlySet<number> = new Set([302, 303, 307])

/**
 * RFC 9111 4.2.2 names a tenth as typical. The file of ten years ago would not be asked after for a year: there is
 * an end.
 */
const heuristicFraction = 0.1
const longestHeuristic = 24 * 60 * 60 * 1000

export function directivesOf(fields: Readonly<Record<string, string>>): Directives {
  return parseCacheControlHeader(fields['cache-control'] ?? '')
}

/** RFC 9111 4.2.1, for a private cache: how long it is fresh, in milliseconds from when the server made it. */
export function lifetimeOf(dated: Dated): number {
  const { fields, status } = dated
  const directives = directivesOf(fields)
  if (hasInvalidCacheControlDirective(directives, 'max-age')) return 0
  if (directives['max-age'] !== undefined) return directives['max-age'] * 1000
  const made = madeAt(dated)
  // RFC 9111 5.3: what is no date, "0" above all, is a time in the past.
  if (fields.expires !== undefined) return Math.max(0, (timeOf(fields.expires) ?? made) - made)
  const modified = timeOf(fields['last-modified'])
  if (modified === null || !(heuristicallyCacheable.has(status) || directives.public === true)) return 0
  return Math.min(longestHeuristic, Math.max(0, made - modified) * heuristicFraction)
}

/** RFC 9111 4.2.3: how long ago the server made it, or found it to be still the same, in milliseconds. */
export function ageOf(dated: Dated, now: number): number {
  const { fields, requestTime, responseTime } = dated
  const apparent = Math.max(0, responseTime - madeAt(dated))
  // Of a list the first, and none where that is no number (RFC 9111 5.1).
  const stated = Number(/^\s*(\d{1,10})\s*(?:,|$)/.exec(fields.age ?? '')?.[1] ?? 0) * 1000
  return Math.max(apparent, stated + responseTime - requestTime) + Math.max(0, now - responseTime)
}

/**
 * RFC 9111 4: whether it may be served without asking the server, by what the server and the request say; `stale`
 * where the request takes what is no longer fresh. Null: the server is to be asked.
 */
export function usableAs(dated: Dated, asked: Directives, now: number): 'fresh' | 'stale' | null {
  const said = directivesOf(dated.fields)
  // With the names of fields in it too, which RFC 9111 5.2.2.4 lets a cache take for one without.
  if (asked['no-cache'] || said['no-cache']) return null
  const age = ageOf(dated, now)
  if (asked['max-age'] !== undefined && age > asked['max-age'] * 1000) return null
  const left = lifetimeOf(dated) - age
  if (left > 0 && left >= (asked['min-fresh'] ?? 0) * 1000) return 'fresh'
  const tolerated = said['must-revalidate'] ? undefined : asked['max-stale']
  return tolerated !== undefined && -left <= tolerated * 1000 ? 'stale' : null
}

/**
 * Whether it may stand in for a server that fails: the stale-if-error of either side (RFC 5861 4), but for RFC
 * 9111 4.2.4.
 */
export function staleIfError(dated: Dated, asked: Directives, now: number): boolean {
  const said = directivesOf(dated.fields)
  if (asked['no-cache'] || said['no-cache'] || said['must-revalidate']) return false
  const tolerated = Math.max(said['stale-if-error'] ?? -1, asked['stale-if-error'] ?? -1)
  return tolerated >= 0 && ageOf(dated, now) - lifetimeOf(dated) <= tolerated * 1000
}

/** RFC 9111 3, for a private cache. What is neither fresh nor can be asked after again would be kept for nothing. */
export function isStorable(dated: Dated): boolean {
  const { status, fields } = dated
  const said = directivesOf(fields)
  if (said['no-store'] || fields.vary?.includes('*')) return false
  const isFresh = lifetimeOf(dated) > ageOf(dated, dated.responseTime)
  if (explicitlyCacheable.has(status)) return isFresh
  return heuristicallyCacheable.has(status) && (isFresh || hasValidator(fields))
}

export function hasValidator(fields: Dated['fields']): boolean {
  return fields.etag !== undefined || timeOf(fields['last-modified']) !== null
}

/** RFC 9110 6.6.1: without a Date it is the time of arrival. */
function madeAt({ fields, responseTime }: Dated): number {
  return timeOf(fields.date) ?? responseTime
}

function timeOf(value: string | undefined): number | null {
  return value === undefined ? null : (parseHttpDate(value.trim())?.getTime() ?? null)
}
