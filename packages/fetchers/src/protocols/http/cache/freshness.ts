import CachePolicy from 'http-cache-semantics'
import { httpDate } from '../../../kit/text/date.ts'

/** The directives of a Cache-Control field that we understand. Those without a number are `true`. */
export type Directives = Readonly<Record<string, string>>

/** A response without its body, and when it arrived. */
export interface Dated {
  readonly status: number
  /** The response's fields by lower-case name. */
  readonly fields: Readonly<Record<string, string>>
  /** When the request was sent and when the response's head arrived, in milliseconds since 1970. */
  readonly requestTime: number
  readonly responseTime: number
}

/** RFC 9111 4.2.2 calls a tenth of the time since the last change typical for a response that gives no lifetime. */
const heuristicFraction = 0.1
/** The limit of such a lifetime: otherwise a file from ten years ago would be served for a year without asking. */
const longestHeuristic = 24 * 60 * 60 * 1000

/** Directives whose value is a number of seconds. */
const numeric: ReadonlySet<string> = new Set(['max-age', 'max-stale', 'min-fresh', 'stale-if-error'])

/**
 * Reads Cache-Control more strictly than http-cache-semantics, which knows only lower-case names, reads `1m` as 1, and
 * takes the last of two values. RFC 9111 4.2.1 encourages caches to treat invalid freshness information as stale. Here
 * an invalid number is 0, and of two numbers the one counts that allows less.
 */
export function directivesOf(fields: Dated['fields']): Directives {
  const directives: Record<string, string> = {}
  for (const element of fields['cache-control']?.toLowerCase().match(/(?:"[^"]*"|[^,])+/g) ?? []) {
    const [, name = '', value] = /^\s*([\w-]+)(?:\s*=\s*"?([^"]*))?/.exec(element) ?? []
    // A cache may treat no-cache="field" like no-cache (RFC 9111 5.2.2.4).
    if (!numeric.has(name)) directives[name] = 'true'
    else {
      const seconds = secondsOf(name, value?.trim())
      const stricter = name === 'min-fresh' ? Math.max : Math.min
      directives[name] = String(stricter(seconds, Number(directives[name] ?? seconds)))
    }
  }
  return directives
}

function secondsOf(name: string, value: string | undefined): number {
  // max-stale without a number accepts any stale response (RFC 9111 5.2.1.2).
  if (name === 'max-stale' && value === undefined) return Number.MAX_SAFE_INTEGER
  return /^\d+$/.test(value ?? '') ? Number(value) : 0
}

/**
 * http-cache-semantics decides how long the response is fresh, whether it may be stored, and whether it satisfies a
 * request (RFC 9111 3, 4.2), for a private cache. We give it only fields that it reads as RFC 9111 does:
 * - dates that httpDate() has read: Date.parse takes asctime's form for local time, and `Expires: 9999` for a date;
 * - as the time of arrival, the time when the server made the response: it knows Age, but neither the age that Date
 *   shows nor the time that the response was under way (4.2.3);
 * - a Last-Modified that makes no longer heuristic lifetime than we want;
 * - no must-revalidate, which to the library means that even a fresh response needs to be validated (5.2.2.2);
 * - no Vary: the store selects by it.
 */
function policyOf(dated: Dated): CachePolicy {
  const { status, fields, responseTime } = dated
  const { 'must-revalidate': _, ...rescc } = directivesOf(fields)
  const made = madeAt(dated)
  const modified = httpDate(fields['last-modified'])?.getTime()
  const oldest = made - longestHeuristic / heuristicFraction
  return CachePolicy.fromObject({
    v: 1,
    t: Math.min(responseTime, Date.now()) - ageAtArrival(dated),
    sh: false,
    ch: heuristicFraction,
    imm: 0,
    st: status,
    resh: {
      date: isoDate(made),
      // An invalid date, above all "0", is a time in the past (RFC 9111 5.3).
      expires: fields.expires === undefined ? undefined : isoDate(httpDate(fields.expires)?.getTime() ?? 0),
      'last-modified': modified === undefined ? undefined : isoDate(Math.max(modified, oldest)),
    },
    rescc,
    m: 'GET',
    a: false,
    reqh: null,
    reqcc: {},
  })
}

function isoDate(time: number): string {
  return new Date(time).toISOString()
}

/** Returns the time of the Date field, or the time of arrival if there is none (RFC 9110 6.6.1). */
function madeAt({ fields, responseTime }: Dated): number {
  return httpDate(fields.date)?.getTime() ?? responseTime
}

/** Computes the corrected initial age in milliseconds (RFC 9111 4.2.3). */
function ageAtArrival(dated: Dated): number {
  const { fields, requestTime, responseTime } = dated
  // The first number of a list counts, and a value that is no number is ignored (RFC 9111 5.1). One that is too large
  // means 2^31 (1.2.2).
  const seconds = Number(/^\s*(\d+)\s*(?:,|$)/.exec(fields.age ?? '')?.[1] ?? 0)
  const stated = Math.min(seconds, 2 ** 31) * 1000
  return Math.max(0, responseTime - madeAt(dated), stated + responseTime - requestTime)
}

/** Computes how long ago the server made the response or last confirmed it, in whole seconds (RFC 9111 4.2.3). */
export function ageOf(dated: Dated): number {
  return Math.floor(policyOf(dated).age())
}

/**
 * Whether a stored response may be served without asking the server (RFC 9111 4). `stale` if only because the request
 * accepts a stale one (max-stale). Null: the server must be asked.
 */
export function usableAs(dated: Dated, requested: Directives): 'fresh' | 'stale' | null {
  // To the library, the age of a response that arrived in this millisecond is within 0 seconds.
  if (requested['max-age'] === '0') return null
  const { 'no-cache': noCache, 'must-revalidate': mustRevalidate } = directivesOf(dated.fields)
  const { 'max-stale': _, ...withoutStale } = requested
  const request = noCache || mustRevalidate ? withoutStale : requested
  const field = Object.entries(request).map(([name, value]) => `${name}=${value}`)
  const policy = policyOf(dated)
  if (!policy.satisfiesWithoutRevalidation({ headers: { 'cache-control': field.join() } })) return null
  return policy.stale() ? 'stale' : 'fresh'
}

/**
 * Whether a stored response may be served because the server fails: stale-if-error of either side (RFC 5861 4), unless
 * RFC 9111 4.2.4 forbids it. The library knows only the response's, and not the prohibitions.
 */
export function staleIfError(dated: Dated, requested: Directives): boolean {
  const directives = directivesOf(dated.fields)
  if (requested['no-cache'] || directives['no-cache'] || directives['must-revalidate']) return false
  const tolerated = Math.max(Number(directives['stale-if-error'] ?? -1), Number(requested['stale-if-error'] ?? -1))
  const policy = policyOf(dated)
  return tolerated >= 0 && policy.age() - policy.maxAge() <= tolerated
}

/**
 * Whether the response may be stored (RFC 9111 3). It is useless to store one that is not fresh and cannot be
 * validated.
 */
export function isStorable(dated: Dated): boolean {
  const policy = policyOf(dated)
  if (!policy.storable() || dated.fields.vary?.includes('*')) return false
  return !policy.stale() || hasValidator(dated.fields)
}

function hasValidator(fields: Dated['fields']): boolean {
  return fields.etag !== undefined || httpDate(fields['last-modified']) !== null
}
