import { createSecureContext, type SecureContextOptions } from 'node:tls'
import { type Advice, RetrievalError } from '@retriever/core'
import { adviceText } from '@retriever/core/internal'
import type { TlsOptions, TlsRules, TlsVersion } from '../../contract/network.ts'
import { invalidOption } from '../../kit/limits.ts'
import { callback, checkOptions, flag, line, type OptionKind, oneOf, record, text, texts } from '../../kit/options.ts'
import { holdsCertificate } from '../../wire/transport/tls-options.ts'

const version: OptionKind = oneOf<TlsVersion>('TLSv1.2', 'TLSv1.3')
const pins: OptionKind = [
  'a list of `sha256//` and the base64 of a SHA-256 each',
  (value) => texts[1](value) && Array.isArray(value) && value.length > 0 && value.every((pin) => pinForm.test(pin)),
]
const pinForm = /^sha256\/\/[A-Za-z\d+/]{43}=$/

const ruleKinds: Readonly<Record<keyof TlsRules, OptionKind>> = {
  cert: text,
  key: text,
  passphrase: text,
  insecure: flag,
  minVersion: version,
  maxVersion: version,
  ciphers: line,
  cipherSuites: line,
  curves: line,
  pins,
  crl: text,
}

const pem: OptionKind = ['PEM text, or a function that gives it', (value) => text[1](value) || callback[1](value)]

const tlsKinds: Readonly<Record<keyof TlsOptions, OptionKind>> = {
  ca: pem,
  extraCa: pem,
  proxyCa: text,
  alpn: flag,
  proxy: record,
  ...ruleKinds,
}

/** Throws `invalid-option`, also for a client certificate or ciphers that cannot be used. */
export function readTls(options: TlsOptions = {}): TlsOptions {
  checkOptions(options, tlsKinds, 'tls.')
  for (const name of ['ca', 'proxyCa'] as const) {
    const given = options[name]
    if (typeof given !== 'string' || holdsCertificate(given)) continue
    throw invalidOption(`tls.${name}`, 'PEM text with a certificate', '...')
  }
  checkRules(options, 'tls')
  if (options.proxy === undefined) return { ...options }
  checkOptions(options.proxy, ruleKinds, 'tls.proxy.')
  checkRules(options.proxy, 'tls.proxy')
  return { ...options, proxy: { ...options.proxy } }
}

function checkRules(rules: TlsRules, place: Place): void {
  checkIdentity(rules, place)
  const { minVersion, maxVersion, ciphers, cipherSuites, curves, crl } = rules
  if (minVersion === 'TLSv1.3' && maxVersion === 'TLSv1.2') {
    throw invalidOption(`${place}.maxVersion`, 'no older than the oldest version to accept', maxVersion)
  }
  const known = `a list that OpenSSL knows`
  if (ciphers !== undefined) tryOut({ ciphers }, `${place}.ciphers`, known, ciphers)
  if (cipherSuites !== undefined) {
    // Node treats names with this prefix as suites of TLS 1.3, and all others as those of TLS 1.2.
    const areSuites = cipherSuites.split(':').every((name) => name.startsWith('TLS_'))
    if (!areSuites) throw invalidOption(`${place}.cipherSuites`, known, cipherSuites)
    tryOut({ ciphers: cipherSuites }, `${place}.cipherSuites`, known, cipherSuites)
  }
  if (curves !== undefined) tryOut({ ecdhCurve: curves }, `${place}.curves`, known, curves)
  if (crl !== undefined) tryOut({ crl }, `${place}.crl`, 'lists of revoked certificates in PEM form', '...')
}

function tryOut(options: SecureContextOptions, name: string, expected: string, shown: string): void {
  try {
    createSecureContext(options)
  } catch {
    throw invalidOption(name, expected, shown)
  }
}

/** The options that name the rules for servers, or for proxies. */
type Place = 'tls' | 'tls.proxy'

function checkIdentity({ cert, key, passphrase }: TlsRules, place: Place): void {
  if (cert === undefined && key === undefined) return
  if (cert === undefined || key === undefined) {
    const advice = { option: `${place}.${cert === undefined ? 'cert' : 'key'}` } as const
    throw wrong(`${adviceText(advice)} is missing: a certificate and its key go together.`, advice)
  }
  try {
    createSecureContext({ cert, key, ...(passphrase !== undefined && { passphrase }) })
  } catch (cause) {
    const [message, part] = explained(cause, passphrase !== undefined)
    const advice = { option: `${place}.${part}` } as const
    throw wrong(`${adviceText(advice)} ${message}`, advice, cause)
  }
}

/** Explains an error by OpenSSL's reasons, which differ between its versions. */
function explained(
  cause: unknown,
  isPassphraseGiven: boolean,
): readonly [message: string, part: 'cert' | 'key' | 'passphrase'] {
  const said = `${(cause as NodeJS.ErrnoException).code} ${(cause as Error).message}`
  if (/mismatch/i.test(said)) return ['is not the key of the certificate.', 'key']
  if (/bad.?decrypt|bad.?password|cipherfinal|interrupted/i.test(said)) {
    return isPassphraseGiven
      ? ['does not open the private key.', 'passphrase']
      : ['is missing, and the private key is encrypted.', 'passphrase']
  }
  return ['and its private key cannot be read; both must be in PEM form.', 'cert']
}

function wrong(message: string, advice: Advice, cause?: unknown): RetrievalError {
  return new RetrievalError('invalid-option', message, { phase: 'resolve', advice, cause })
}
