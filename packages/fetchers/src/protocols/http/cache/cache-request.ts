import { createHash } from 'node:crypto'
import { type HttpPlan, isSecretField } from '@retriever/core/internal'
import type { RetrievalContext } from '../../../contract/fetcher.ts'
import { givesField } from '../../../kit/request-options.ts'
import { pemOf } from '../../../wire/transport/tls-options.ts'
import { elementsOf } from '../fields.ts'
import { type Directives, directivesOf } from './freshness.ts'
import type { Stored } from './stored.ts'

/** A request as the cache compares it. */
export interface CacheRequest {
  /** SHA-256 in hexadecimal. It reveals nothing of the URL. */
  readonly key: string
  readonly method: 'GET' | 'HEAD'
  /** The request's fields by lower-case name. */
  readonly fields: ReadonlyMap<string, string>
  readonly directives: Directives
}

/**
 * Fields that neither identify the user nor ask for a part. Responses to requests with other fields are not stored,
 * since a server may have its own name for a login.
 */
const shareable = /^(?:accept(?:-[a-z-]+)?|user-agent|referer|cache-control|pragma)$/i

/**
 * Makes the request as the cache compares it. Returns null for one that never uses the cache: one for a part, one with
 * a condition, and one that may identify the user (by a login, a client certificate, an unknown field), since its
 * response may be only for that person.
 */
export function cacheRequest(
  plan: HttpPlan,
  context: RetrievalContext,
  sent: readonly (readonly [name: string, value: string])[],
): CacheRequest | null {
  const { request, tls } = context
  const { range, resumeFrom, http: { split = 1, virtualHost } = {} } = request
  // No field of `sent` tells of these. Those of a condition, and of the request for a part, are not shareable.
  if (split > 1 || [range, resumeFrom, virtualHost].some((option) => option !== undefined)) return null
  if (plan.user !== null || tls.cert !== undefined || givesField(request, 'proxy-authorization')) return null
  // Our own Proxy-Authorization is for the proxy, which is part of the key.
  const own = sent.filter(([name]) => name.toLowerCase() !== 'proxy-authorization')
  if (own.some(([name]) => !shareable.test(name) || isSecretField(name))) return null
  const named = fieldsByName(own)
  const fields = new Map(Object.entries(named))
  const directives = directivesOf(named)
  // Pragma counts only without Cache-Control (RFC 9111 5.4).
  const isPragma = !fields.has('cache-control') && /(?:^|,)\s*no-cache\s*(?:,|$)/i.test(fields.get('pragma') ?? '')
  if (directives['no-store']) return null
  return {
    key: keyOf(plan, context),
    method: request.head === true ? 'HEAD' : 'GET',
    fields,
    directives: isPragma ? { ...directives, 'no-cache': 'true' } : directives,
  }
}

/** The request's fields by lower-case name. */
export function fieldsByName(lines: readonly (readonly [name: string, value: string])[]): Record<string, string> {
  return Object.fromEntries(lines.map(([name, value]) => [name.toLowerCase(), value]))
}

/**
 * Makes the key. It includes proxy, rules for TLS and address rules: a response that came by another proxy or under
 * weaker or other rules may be another server's.
 */
function keyOf(plan: HttpPlan, { tls, proxy, addresses, network }: RetrievalContext): string {
  const { ca, extraCa, proxyCa = ca, insecure = false, pins, crl } = tls
  const accepted = [tls.minVersion, tls.maxVersion, tls.ciphers, tls.cipherSuites, tls.curves]
  const trust =
    plan.tls === 'none' ? null : [pemOf(ca, 'tls.ca'), pemOf(extraCa, 'tls.extraCa'), insecure, pins, crl, accepted]
  const proxyTrust =
    proxy?.kind === 'https' ? [pemOf(proxyCa, 'tls.ca'), pemOf(extraCa, 'tls.extraCa'), tls.proxy] : null
  const place = [addresses?.isPointedTo, addresses?.keyOf(plan.host, plan.port), network?.key]
  const parts = [plan.tls, plan.host, plan.port, plan.target, trust, proxy?.key, proxyTrust, place]
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex')
}

/**
 * Returns the request's values of the fields in Vary (RFC 9111 4.1). An encoded response always varies by
 * Accept-Encoding: servers forget to say so, and a request that accepts no coding would get encoded octets.
 */
export function varyOf(fields: Readonly<Record<string, string>>, request: CacheRequest): Stored['vary'] {
  const names = elementsOf(fields.vary)
  if (fields['content-encoding'] !== undefined) names.push('accept-encoding')
  return [...new Set(names)].map((name) => [name, request.fields.get(name) ?? null])
}

/** Whether the response answers the request, fresh or not. A response to GET also answers HEAD (RFC 9110 9.3.2). */
export function matches(stored: Stored, { method, fields }: CacheRequest): boolean {
  if (stored.method !== 'GET' && stored.method !== method) return false
  return stored.vary.every(([name, value]) => (fields.get(name) ?? null) === value)
}
