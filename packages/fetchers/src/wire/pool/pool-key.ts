import { createHash } from 'node:crypto'
import { isAnonymous } from '@retriever/core'
import type { RetrievalContext } from '../../contract/fetcher.ts'
import type { TlsOptions } from '../../contract/network.ts'

/**
 * Tells connections to one server apart by proxy, TLS options, address rules and network options (security.md case
 * 38: a connection made with another trust is not reused). Certificates and keys are hashed.
 */
export function poolKey(
  { tls, proxy, addresses, network }: RetrievalContext,
  host: string,
  port: number,
  isSecure: boolean,
): string {
  const trust = isSecure || proxy?.kind === 'https' ? digestOf(tls) : null
  const addressKey = addresses?.keyOf(host, port) ?? ''
  if (trust === null && !proxy && addressKey === '' && network === undefined) return ''
  return JSON.stringify([trust, proxy?.key ?? null, addressKey, network?.key ?? null])
}

/** A server and the login for it. */
export interface LoginTarget {
  readonly tls: string
  readonly host: string
  readonly port: number
  readonly user: string | null
  readonly password: string | null
  /** The way to log in, if the URL names one. */
  readonly auth?: string | null
}

/**
 * Tells sessions of different logins or trust apart, and those for places that the caller named from those that a
 * server points to, which must not get a connection to an address that is refused to them; and those at a gateway,
 * which must not get a session that the caller's login was given to. It contains a digest of a secret password, so the
 * pool does not keep the password.
 */
export function sessionKey({ tls, host, port, user, password, auth }: LoginTarget, context: RetrievalContext): string {
  // A guest's password is no secret, and a digest for each of many small files takes time.
  const isSecret = password !== null && !isAnonymous(user ?? '')
  const secret = isSecret ? createHash('sha256').update(password, 'latin1').digest('base64') : password
  const flags = [context.addresses?.isPointedTo === true, context.isAtGateway === true]
  const rules = [poolKey(context, host, port, tls !== 'none'), ...flags]
  return JSON.stringify([tls, host, port, user, secret, auth ?? null, ...rules])
}

const digests = new WeakMap<TlsOptions, string>()

/**
 * A digest of the options, computed once for each object, because CA files are large. These objects are never written
 * to.
 */
function digestOf(tls: TlsOptions): string {
  const digest = digests.get(tls) ?? createHash('sha256').update(JSON.stringify(tls)).digest('base64')
  digests.set(tls, digest)
  return digest
}
