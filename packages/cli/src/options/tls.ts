import { readFileSync } from 'node:fs'
import { RetrievalError } from '@retriever/core'
import type { TlsOptions } from '@retriever/fetchers'
import { usageError } from '../exit-codes.ts'
import type { CommandLine } from '../parse.ts'
import type { OptionName } from './index.ts'

/** Whom to trust, and who we are. Throws `file-failed` for a file that cannot be read. */
export function readTls(line: CommandLine): TlsOptions {
  const [ca, proxyCa] = (['cacert', 'proxy-cacert'] as const).map((name) => {
    const file = line.value(name)
    return file === undefined ? undefined : readPem(name, file, 'certificate')
  })
  return {
    ...(ca !== undefined && { ca }),
    ...(proxyCa !== undefined && { proxyCa }),
    ...readIdentity(line),
    insecure: line.has('insecure'),
  }
}

function readIdentity(line: CommandLine): TlsOptions {
  const typed = line.value('cert')
  const keyFile = line.value('key')
  if (typed === undefined) {
    if (keyFile === undefined) return {}
    throw usageError('--key is the key of a certificate: give that by --cert.')
  }
  const { file, password } = splitPassword(typed)
  const cert = readPem('cert', file, 'certificate')
  const key = keyFile === undefined ? cert : readPem('key', keyFile, 'private key')
  if (keyFile === undefined && !isPem(cert, 'private key')) throw usageError(`--cert ${file} holds no key: give --key.`)
  const passphrase = line.value('pass') ?? password
  return { cert, key, ...(passphrase !== undefined && { passphrase }) }
}

/** `me.pem:secret`; as in curl, a `:` in the file's name is typed `\:`, and a `\` `\\`. */
function splitPassword(typed: string): { readonly file: string; readonly password: string | undefined } {
  const [, file = '', password] = /^((?:[^\\:]|\\.)*)(?::(.*))?$/s.exec(typed) ?? []
  return { file: file.replace(/\\([\\:])/g, '$1'), password }
}

const marks = { certificate: /-----BEGIN CERTIFICATE-----/, 'private key': /-----BEGIN [A-Z ]*PRIVATE KEY-----/ }

function isPem(text: string, what: keyof typeof marks): boolean {
  return marks[what].test(text)
}

function readPem(option: OptionName, file: string, what: keyof typeof marks): string {
  const fail = (why: string, cause?: unknown): never => {
    const message = `--${option} ${file} ${why}; give a file with a ${what} in PEM form.`
    throw new RetrievalError('file-failed', message, { phase: 'resolve', cause })
  }
  try {
    const text = readFileSync(file, 'utf8')
    return isPem(text, what) ? text : fail(`holds no ${what}`)
  } catch (error) {
    if (RetrievalError.is(error)) throw error
    return fail(`cannot be read (${(error as NodeJS.ErrnoException).code})`, error)
  }
}
