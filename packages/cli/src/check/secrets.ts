import type { Resolution } from '@retriever/core'
import type { Client, ClientOptions, RetrieveOptions } from '@retriever/fetchers'
import { forOtherOrigin } from '@retriever/fetchers/internal'
import type { Link } from './sources.ts'

/**
 * The links that may get the command line's header fields, cookies and client certificate: the typed URLs, and links at
 * their origins. A file or page must not choose other places for these. CredentialPrompt does the same for logins.
 */
export function trustedLinks(links: readonly Link[], client: Client): ReadonlySet<Link> {
  const typed = new Set(links.flatMap((link) => (link.isTyped ? (originOf(link, client) ?? []) : [])))
  const isTrusted = (link: Link): boolean => link.isTyped || typed.has(originOf(link, client) ?? '')
  return new Set(links.filter(isTrusted))
}

/** The scheme, host and port of a URL; null if it has no host or is malformed. */
function originOf({ url }: Link, client: Client): string | null {
  const resolution = resolved(url, client)
  if (resolution === null || !('port' in resolution.plan)) return null
  const { scheme, plan } = resolution
  return JSON.stringify([scheme.name, plan.host, plan.port])
}

function resolved(url: string, client: Client): Resolution | null {
  try {
    return client.resolve(url)
  } catch {
    return null
  }
}

/** Whether the options have header fields or a virtual host that links elsewhere do not get. */
export function hasSecrets({ headers = {}, http }: RetrieveOptions): boolean {
  const { headers: harmless = {} } = forOtherOrigin({ headers })
  return http?.virtualHost !== undefined || Object.keys(harmless).length < Object.keys(headers).length
}

/** The client's options without the client certificate; null if there is no certificate. */
export function withoutCertificate(options: ClientOptions): ClientOptions | null {
  const { cert, key: _key, passphrase: _passphrase, ...tls } = options.tls ?? {}
  return cert === undefined ? null : { ...options, tls }
}
