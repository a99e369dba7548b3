import { createSecureContext } from 'node:tls'
import { RetrievalError } from '@retriever/core'
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

/** Throws `invalid-option`, also for a client certificate that no server could be shown. */
export function readTls(options: TlsOptions = {}): TlsOptions {
  checkOptions(options, tlsKinds, 'tls.')
  const { cert, key, passphrase } = options
  if (cert === undefined && key === undefined) return { ...options }
  if (cert === undefined || key === undefined) {
    throw wrong(`\`tls.${cert === undefined ? 'cert' : 'key'}\` is missing: a certificate and its key go together.`)
  }
  try {
    createSecureContext({ cert, key, ...(passphrase !== undefined && { passphrase }) })
  } catch (cause) {
    throw wrong(explained(cause, passphrase !== undefined), cause)
  }
  return { ...options }
}

/** By OpenSSL's reasons, which differ with its versions. */
function explained(cause: unknown, isPassphraseGiven: boolean): string {
  const said = `${(cause as NodeJS.ErrnoException).code} ${(cause as Error).message}`
  if (/mismatch/i.test(said)) return '`tls.key` is not the key of `tls.cert`.'
  if (/bad.?decrypt|bad.?password|cipherfinal|interrupted/i.test(said)) {
    return isPassphraseGiven
      ? '`tls.passphrase` does not open `tls.key`.'
      : '`tls.key` is encrypted; give `tls.passphrase` too.'
  }
  return 'Expected `tls.cert` and `tls.key` to be a certificate and its private key, in PEM form.'
}

function wrong(message: string, cause?: unknown): RetrievalError {
  return new RetrievalError('invalid-option', message, { phase: 'resolve', cause })
}
