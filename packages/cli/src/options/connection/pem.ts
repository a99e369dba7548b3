import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { RetrievalError } from '@retriever/core'
import type { AdvisedOption } from '@retriever/core/internal'
import { whyUnreadable } from '@retriever/fetchers/internal'

type PemKind = 'certificate' | 'private key' | 'list of revoked certificates'

const marks: Readonly<Record<PemKind, RegExp>> = {
  certificate: /-----BEGIN CERTIFICATE-----/,
  'private key': /-----BEGIN [A-Z ]*PRIVATE KEY-----/,
  'list of revoked certificates': /-----BEGIN X509 CRL-----/,
}

/** How a message names a variable of the environment, such as `$SSL_CERT_FILE`, or an option. */
function shown(name: string): string {
  return name.startsWith('$') ? name : `--${name}`
}

export function isPem(text: string, what: PemKind): boolean {
  return marks[what].test(text)
}

/** Reads a file in PEM form. Throws `file-failed`, with the library's option if it decides the exit status. */
export function readPem(option: string, file: string, what: PemKind, advised?: AdvisedOption): string {
  const text = readTlsFile(option, file, `a file with a ${what} in PEM form`, advised)
  if (isPem(text, what)) return text
  throw fileError(`${shown(option)} ${file} holds no ${what}; give a file with a ${what} in PEM form.`, advised)
}

/** The certificates of a folder that OpenSSL's `rehash` has prepared, whose names are hashes such as `1a2b3c4d.0`. */
export function readFolder(option: string, folder: string): string {
  try {
    const names = readdirSync(folder).filter((name) => /^[\da-f]{8}\.\d+$/.test(name))
    const found = names
      .map((name) => readFileSync(join(folder, name), 'utf8'))
      .filter((text) => isPem(text, 'certificate'))
    if (found.length > 0) return found.map((text) => `${text}\n`).join('')
  } catch (error) {
    throw fileError(
      `${shown(option)} ${folder} cannot be read: ${whyUnreadable(error)}; give a folder with certificates.`,
      undefined,
      error,
    )
  }
  const wanted = 'files with names such as 1a2b3c4d.0, as `openssl rehash` makes them'
  throw fileError(`${shown(option)} ${folder} holds no certificates: it needs ${wanted}.`)
}

/** Reads a file, one octet a character. `wanted` says what the file should be. Throws what readPem() throws. */
export function readTlsFile(option: string, file: string, wanted: string, advised?: AdvisedOption): string {
  try {
    return readFileSync(file, 'latin1')
  } catch (error) {
    throw fileError(`${shown(option)} ${file} cannot be read: ${whyUnreadable(error)}; give ${wanted}.`, advised, error)
  }
}

function fileError(message: string, advised?: AdvisedOption, cause?: unknown): RetrievalError {
  const advice = advised && { option: advised }
  return new RetrievalError('file-failed', message, { phase: 'resolve', cause, ...(advice && { advice }) })
}
