import { createHash } from 'node:crypto'
import type { HttpPlan } from '@retriever/core'
import type { RetrievalContext } from '../../plugin/fetcher.ts'
import { givesField } from '../../plugin/request-options.ts'
import type { RangeRequest } from '../exchange.ts'
import { elementsOf } from '../fields.ts'
import { isSecret } from '../request.ts'
import { type Directives, directivesOf } from './freshness.ts'
import type { Stored } from './stored.ts'

/** What is looked for in the cache. */
export interface CacheRequest {
  /** SHA-256, hexadecimal: nothing of the URL is to be read out of it. */
  readonly key: string
  readonly method: 'GET' | 'HEAD'
  /** By lower-case name. */
  readonly fields: ReadonlyMap<string, string>
  readonly directives: Directives
}

/**
 * Fields that say nothing of who asks, and ask for no part: answers to them may be kept, as Vary has it. Whatever else
 * a caller sends may be a login under a name of the server's own.
 */
const shareable = /^(?:accept(?:-[a-z-]+)?|user-agent|referer|cache-control|pragma)$/i

/**
 * Null for a request that goes past the cache, there and back: for a part, on a condition of the caller's, or with
 * anything that may show who asks (a login, a client certificate, an unknown field), since its answer may be for that
 * person only.
 */
export function cacheRequest(
  plan: HttpPlan,
  context: RetrievalContext,
  asking: RangeRequest,
  sent: readonly (readonly [name: string, value: string])[],
): CacheRequest | null {
  const { request, tls } = context
  const { range, resumeFrom, split = 1, ifNoneMatch, ifChangedSince } = request
  const partial = [range, resumeFrom, ifNoneMatch, ifChangedSince, asking.range, asking.ifRange]
  if (split > 1 || partial.some((option) => option !== undefined)) return null
  if (plan.user !== null || tls.cert !== undefined || givesField(request, 'proxy-authorization')) return null
  // Our own Proxy-Authorization is for the proxy, which has its part in the key.
  const own = sent.filter(([name]) => name.toLowerCase() !== 'proxy-authorization')
  if (own.some(([name]) => !shareable.test(name) || isSecret(name))) return null
  const fields = new Map(own.map(([name, value]) => [name.toLowerCase(), value]))
  const directives = directivesOf(Object.fromEntries(fields))
  // RFC 9111 5.4.
  const isPragma = !fields.has('cache-control') && /(?:^|,)\s*no-cache\s*(?:,|$)/i.test(fields.get('pragma') ?? '')
  if (directives['no-store']) return null
  return {
    key: keyOf(plan, context),
    method: request.head === true ? 'HEAD' : 'GET',
    fields,
    directives: isPragma ? { ...directives, 'no-cache': true } : directives,
  }
}

/**
 * An answer that came by another proxy, under weaker rules for certificates, from pinned addresses or under other rules
 * for addresses may be another server's: it has a key of its own.
 */
function keyOf(plan: HttpPlan, { tls, proxy, addresses }: RetrievalContext): string {
  const trust = plan.tls === 'none' ? null : [tls.ca ?? null, tls.proxyCa ?? null, tls.insecure === true]
  const place = [addresses?.isPointedTo === true, addresses?.keyOf(plan.host, plan.port) ?? '']
  const parts = [plan.tls, plan.host.toLowerCase(), plan.port, plan.target, trust, proxy?.key ?? null, place]
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex')
}

/**
 * The request's values of what the answer varies by (RFC 9111 4.1). Of an encoded answer always Accept-Encoding
 * too: servers forget to say so, and octets that nobody asked to be encoded would be saved.
 */
export function varyOf(fields: Readonly<Record<string, string>>, request: CacheRequest): Stored['vary'] {
  const names = elementsOf(fields.vary)
  if (fields['content-encoding'] !== undefined) names.push('accept-encoding')
  return [...new Set(names)].map((name) => [name, request.fields.get(name) ?? null])
}

/**
 * Whether it could answer the request, fresh or not. HEAD is answered out of what GET brought as well (RFC 9110
 * 9.3.2).
 */
export function couldAnswer(stored: Stored, { method, fields }: CacheRequest): boolean {
  if (stored.method !== 'GET' && stored.method !== method) return false
  return stored.vary.every(([name, value]) => (fields.get(name) ?? null) === value)
}
