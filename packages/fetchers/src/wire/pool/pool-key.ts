import { createHash } from 'node:crypto'
import { isAnonymous } from '@retriever/core/internal'
import type { RetrievalContext } from '../../contract/fetcher.ts'
import type { TlsOptions } from '../../contract/network.ts'

/**
 * Makes a key from proxy, TLS options, address rules and network options, so that retrievals share a connection only if
 * all of these agree (threats.md case 38: a connection made with another trust is not reused). Certificates and keys
 * are hashed.
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
  /** How the URL wants to log in, if it says so. */
  readonly auth?: string | null
}

/**
 * Makes the key of a session. Sessions differ by login and trust. They also differ by who named the place: a server may
 * point to an address that only the caller may connect to. And a gateway must not get a session that the caller's login
 * was given to. The key has a digest in place of a secret password, so the pool does not keep the password.
 */
export function sessionKey({ tls, host, port, user, password, auth }: LoginTarget, context: RetrievalContext): string {
  // A guest's password is no secret, and a digest for each of many small files would take time.
  const isSecret = password !== null && !isAnonymous(user ?? '')
  const secret = isSecret ? createHash('sha256').update(password, 'latin1').digest('base64') : password
  const flags = [context.addresses?.isPointedTo === true, context.isAtGateway === true]
  const rules = [poolKey(context, host, port, tls !== 'none'), ...flags]
  return JSON.stringify([tls, host, port, user, secret, auth ?? null, ...rules])
}

const digests = new WeakMap<TlsOptions, string>()

/** Digests the options once for each object, because CA files are large. Nobody writes to these objects. */
function digestOf(tls: TlsOptions): string {
  const digest = digests.get(tls) ?? newDigest(tls)
  digests.set(tls, digest)
  return digest
}

/** JSON has no functions, and those that give certificates are called for TLS alone: so each has a number. */
function newDigest(tls: TlsOptions): string {
  const given = JSON.stringify(tls, (_, value) => (typeof value === 'function' ? numberOf(value) : value))
  return createHash('sha256').update(given).digest('base64')
}

const numbers = new WeakMap<object, number>()
let count = 0

function numberOf(given: object): number {
  const number = numbers.get(given) ?? ++count
  numbers.set(given, number)
  return number
}
