import { createHash } from 'node:crypto'
import type { RetrievalContext } from '../../plugin/fetcher.ts'
import type { TlsOptions } from '../../plugin/network.ts'

/**
 * What tells connections to one server apart, beside the server and its users: the proxy on the way, whom they trust,
 * who they say we are, and where names lead (security.md case 38). Certificates and keys are hashed.
 */
export function poolKey(
  { tls, proxy, addresses }: RetrievalContext,
  host: string,
  port: number,
  isSecure: boolean,
): string {
  const trust = isSecure || proxy?.kind === 'https' ? digestOf(tls) : null
  const ways = addresses?.keyOf(host, port) ?? ''
  return trust === null && !proxy && ways === '' ? '' : JSON.stringify([trust, proxy?.key ?? null, ways])
}

/** A server, and who logs in there. */
interface Owned {
  readonly tls: string
  readonly host: string
  readonly port: number
  readonly user: string | null
  readonly password: string | null
}

/** Whose session it is, and how it was trusted; the password as a digest, so that it is nowhere kept. */
export function sessionKey({ tls, host, port, user, password }: Owned, context: RetrievalContext): string {
  const secret = password === null ? null : createHash('sha256').update(password, 'latin1').digest('base64')
  return JSON.stringify([tls, host, port, user, secret, poolKey(context, host, port, tls !== 'none')])
}

const digests = new WeakMap<TlsOptions, string>()

/** Once for each object, which nobody writes to: files of CAs are large. */
function digestOf(tls: TlsOptions): string {
  const { ca, proxyCa, cert, key, passphrase, insecure } = tls
  const digest =
    digests.get(tls) ??
    createHash('sha256')
      .update(JSON.stringify([ca ?? null, proxyCa ?? null, cert ?? null, key ?? null, passphrase ?? null, !!insecure]))
      .digest('base64')
  digests.set(tls, digest)
  return digest
}
