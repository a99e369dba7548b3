import { createSecureContext } from 'node:tls'
import { type Advice, type AdvisedOption, adviceText, RetrievalError } from '@retriever/core'
import type { TlsOptions } from '../plugin/network.ts'
import { checkOptions, flag, type OptionKind, text } from '../plugin/options.ts'

const tlsKinds: Readonly<Record<keyof TlsOptions, OptionKind>> = {
  ca: text,
  proxyCa: text,
  cert: text,
  key: text,
  passphrase: text,
  insecure: flag,
}

/** Throws `invalid-option`, also for a client certificate that cannot be used. */
export function readTls(options: TlsOptions = {}): TlsOptions {
  checkOptions(options, tlsKinds, 'tls.')
  const { cert, key, passphrase } = options
  if (cert === undefined && key === undefined) return { ...options }
  if (cert === undefined || key === undefined) {
    const advice = { option: cert === undefined ? 'tls.cert' : 'tls.key' } as const
    throw wrong(`${adviceText(advice)} is missing: a certificate and its key go together.`, advice)
  }
  try {
    createSecureContext({ cert, key, ...(passphrase !== undefined && { passphrase }) })
  } catch (cause) {
    const [message, option] = explained(cause, passphrase !== undefined)
    throw wrong(`${adviceText({ option })} ${message}`, { option }, cause)
  }
  return { ...options }
}

/** Explains an error by OpenSSL's reasons, which differ between its versions. */
function explained(cause: unknown, isPassphraseGiven: boolean): readonly [message: string, option: AdvisedOption] {
  const said = `${(cause as NodeJS.ErrnoException).code} ${(cause as Error).message}`
  if (/mismatch/i.test(said)) return ['is not the key of the certificate.', 'tls.key']
  if (/bad.?decrypt|bad.?password|cipherfinal|interrupted/i.test(said)) {
    return isPassphraseGiven
      ? ['does not open the private key.', 'tls.passphrase']
      : ['is missing, and the private key is encrypted.', 'tls.passphrase']
  }
  return ['and its private key cannot be read; both must be in PEM form.', 'tls.cert']
}

function wrong(message: string, advice: Advice, cause?: unknown): RetrievalError {
  return new RetrievalError('invalid-option', message, { phase: 'resolve', advice, cause })
}
