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
import { invalidOption, optionThrew } from '../../kit/limits.ts'

/**
 * Builds Node's options: the name that the certificate must have, trusted CAs, the client's certificate, the caller's
 * rules.
 */
export function tlsOptions(host: string, options: TlsOptions): ConnectionOptions {
  return {
    // SNI carries only names (RFC 6066 3), without a trailing dot.
    ...(isIP(host) ? {} : { servername: host.replace(/\.$/, '') }),
    secureContext: secureContext(options),
    // Set explicitly, so that NODE_TLS_REJECT_UNAUTHORIZED has no effect.
    rejectUnauthorized: options.insecure !== true,
  }
}

/** Caches a context for each options object: reading a system's 150 certificates takes about 40 ms. */
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
  if (ca !== undefined) {
    const trusted = pemOf(ca, 'tls.ca') ?? ''
    if (!holdsCertificate(trusted)) throw invalidOption('tls.ca', 'a function that gives PEM certificates', '...')
    return createSecureContext({ ...rules, ca: trusted })
  }
  const context = createSecureContext(rules)
  const extra = extraCa === undefined ? [] : unknownCertificates(pemOf(extraCa, 'tls.extraCa') ?? '')
  // The option `ca` would replace the built-in certificates, and the whole list would be read again for each context.
  if (extra.length > 0) context.context.addCACert(extra.join('\n'))
  return context
}

/** Whether a text has a certificate to trust: in place of an empty text, Node would trust the built-in ones. */
export function holdsCertificate(text: string): boolean {
  return /-----BEGIN (?:X509 |TRUSTED )?CERTIFICATE-----/.test(text)
}

/** Returns the PEM text of an option; null if it is not given. Throws `invalid-option` for a function without text. */
export function pemOf(option: TlsOptions['ca'], name: string): string | null {
  const given = (typeof option === 'function' ? called(option, name) : option) ?? null
  if (given === null || typeof given === 'string') return given
  throw invalidOption(name, 'a function that gives PEM text', given)
}

function called(option: () => unknown, name: string): unknown {
  try {
    return option()
  } catch (cause) {
    throw optionThrew(name, cause, 'tls')
  }
}

/** Returns the certificates that are not built in. Most of a system's certificates are. */
function unknownCertificates(text: string): string[] {
  const found = text.match(/-----BEGIN CERTIFICATE-----[A-Za-z\d+/=\s]*-----END CERTIFICATE-----/g) ?? []
  if (found.length === 0) return []
  const bare = (pem: string): string => pem.replace(/\s/g, '')
  const known = new Set(rootCertificates.map(bare))
  return [...new Map(found.map((pem) => [bare(pem), pem]))].filter(([key]) => !known.has(key)).map(([, pem]) => pem)
}

/** Node has one list for TLS 1.2 and 1.3, and switches a version off if the list names none of its ciphers. */
function cipherList({ ciphers, cipherSuites }: TlsOptions): SecureContextOptions {
  if (ciphers === undefined && cipherSuites === undefined) return {}
  const all = DEFAULT_CIPHERS.split(':')
  const suites = cipherSuites ?? all.filter((name) => name.startsWith('TLS_')).join(':')
  return { ciphers: `${suites}:${ciphers ?? all.filter((name) => !name.startsWith('TLS_')).join(':')}` }
}
