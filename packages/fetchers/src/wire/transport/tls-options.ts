import { isIP } from 'node:net'
import {
  type ConnectionOptions,
  createSecureContext,
  DEFAULT_CIPHERS,
  rootCertificates,
  type SecureContext,
  type SecureContextOptions,
} from 'node:tls'
import type { TlsOptions } from '../../contract/network.ts'

/** The name that the certificate must have, the CAs to trust, the client's own certificate, and the caller's rules. */
export function tlsOptions(host: string, options: TlsOptions): ConnectionOptions {
  return {
    // SNI carries names only (RFC 6066 3), without a trailing dot.
    ...(isIP(host) ? {} : { servername: host.replace(/\.$/, '') }),
    secureContext: secureContext(options),
    // The option is explicit, so that NODE_TLS_REJECT_UNAUTHORIZED has no effect.
    rejectUnauthorized: options.insecure !== true,
  }
}

/** The contexts of options that are in use: reading a system's 150 certificates takes some 40 ms. */
const contexts = new WeakMap<TlsOptions, SecureContext>()

function secureContext(options: TlsOptions): SecureContext {
  const known = contexts.get(options)
  if (known !== undefined) return known
  const context = newContext(options)
  contexts.set(options, context)
  return context
}

function newContext(options: TlsOptions): SecureContext {
  const { ca, extraCa, cert, key, passphrase, minVersion, maxVersion, curves, crl } = options
  const rules: SecureContextOptions = {
    ...(cert !== undefined && key !== undefined && { cert, key }),
    ...(passphrase !== undefined && { passphrase }),
    ...(minVersion !== undefined && { minVersion }),
    ...(maxVersion !== undefined && { maxVersion }),
    ...(curves !== undefined && { ecdhCurve: curves }),
    ...(crl !== undefined && { crl }),
    ...cipherList(options),
  }
  if (ca !== undefined) return createSecureContext({ ...rules, ca: pemOf(ca) ?? '' })
  const context = createSecureContext(rules)
  const extra = extraCa === undefined ? [] : unknownCertificates(pemOf(extraCa) ?? '')
  // `ca` would be in place of the built-in certificates, and their list would have to be read anew for each context.
  if (extra.length > 0) context.context.addCACert(extra.join('\n'))
  return context
}

/** The PEM text of an option; null: it is not given. */
export function pemOf(option: TlsOptions['ca']): string | null {
  return typeof option === 'function' ? option() : (option ?? null)
}

/** The certificates of a text that are not built in: those of a system mostly are. */
function unknownCertificates(text: string): string[] {
  const found = text.match(/-----BEGIN CERTIFICATE-----[A-Za-z\d+/=\s]*-----END CERTIFICATE-----/g) ?? []
  if (found.length === 0) return []
  const bare = (pem: string): string => pem.replace(/\s/g, '')
  const known = new Set(rootCertificates.map(bare))
  return [...new Map(found.map((pem) => [bare(pem), pem]))].filter(([key]) => !known.has(key)).map(([, pem]) => pem)
}

/** Node has one list for both versions, and switches off the one of which it holds nothing. */
function cipherList({ ciphers, cipherSuites }: TlsOptions): SecureContextOptions {
  if (ciphers === undefined && cipherSuites === undefined) return {}
  const all = DEFAULT_CIPHERS.split(':')
  const suites = cipherSuites ?? all.filter((name) => name.startsWith('TLS_')).join(':')
  return { ciphers: `${suites}:${ciphers ?? all.filter((name) => !name.startsWith('TLS_')).join(':')}` }
}
