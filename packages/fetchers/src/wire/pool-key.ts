import { createHash } from 'node:crypto'
import type { RetrievalContext, TlsOptions } from '../fetcher.ts'

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
