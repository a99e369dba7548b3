import { readFileSync } from 'node:fs'
import { RetrievalError } from '@retriever/core'
import type { TlsOptions } from '@retriever/fetchers'
import { usageError } from '../../exit-codes.ts'
import { type GivenOptions, network, type OptionRow, urls } from '../option.ts'

export type TlsOption = 'cacert' | 'cert' | 'key' | 'pass' | 'insecure' | 'ssl-reqd'

export const tlsOptions: readonly OptionRow<TlsOption>[] = [
  {
    long: 'cacert',
    arg: 'FILE',
    help: 'Trust the certificates in FILE (PEM) instead of the built-in ones',
    commands: network,
    example: 'retrieve --cacert ca.pem https://h.example/',
  },
  {
    long: 'cert',
    short: 'E',
    arg: 'FILE[:PASSWORD]',
    help: 'Client certificate (PEM) for servers that ask for one; FILE may hold its key too, encrypted by PASSWORD',
    commands: network,
    example: 'retrieve --cert me.pem --key me.key https://h.example/',
  },
  {
    long: 'key',
    arg: 'FILE',
    help: 'The private key of --cert (PEM)',
    commands: network,
    example: 'retrieve --cert me.pem --key me.key https://h.example/',
  },
  {
    long: 'pass',
    arg: 'PHRASE',
    help: 'The passphrase of the private key',
    commands: network,
    example: 'retrieve --cert me.pem --pass secret https://h.example/',
  },
  {
    long: 'insecure',
    short: 'k',
    help: 'Do not verify certificates: anybody may be answering',
    commands: network,
    example: 'retrieve -k https://localhost:8443/',
  },
  {
    long: 'ssl-reqd',
    help: 'Require TLS of FTP and News servers, by AUTH TLS and STARTTLS: ftp: means what ftpes: does',
    commands: urls,
    example: 'retrieve --ssl-reqd ftp://ftp.example.org/x',
  },
]

/** The certificates to trust and to show. Throws `invalid-option`, or `file-failed` for a file that cannot be read. */
export function readTls(line: GivenOptions<TlsOption | 'proxy-cacert'>): TlsOptions {
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

function readIdentity(line: GivenOptions<TlsOption>): TlsOptions {
  const typed = line.value('cert')
  const keyFile = line.value('key')
  if (typed === undefined) {
    if (keyFile === undefined) return {}
    throw usageError('--key needs --cert, the certificate of the key.')
  }
  const { file, password } = splitPassword(typed)
  const cert = readPem('cert', file, 'certificate')
  const key = keyFile === undefined ? cert : readPem('key', keyFile, 'private key')
  if (keyFile === undefined && !isPem(cert, 'private key'))
    throw usageError(`--cert ${file} holds no key: give --key too.`)
  const passphrase = line.value('pass') ?? password
  return { cert, key, ...(passphrase !== undefined && { passphrase }) }
}

/** Splits `me.pem:secret`; as in curl, a `:` in the file's name is written `\:`, and a `\` is `\\`. */
function splitPassword(typed: string): { readonly file: string; readonly password: string | undefined } {
  const [, file = '', password] = /^((?:[^\\:]|\\.)*)(?::(.*))?$/s.exec(typed) ?? []
  return { file: file.replace(/\\([\\:])/g, '$1'), password }
}

const marks = { certificate: /-----BEGIN CERTIFICATE-----/, 'private key': /-----BEGIN [A-Z ]*PRIVATE KEY-----/ }

function isPem(text: string, what: keyof typeof marks): boolean {
  return marks[what].test(text)
}

function readPem(option: string, file: string, what: keyof typeof marks): string {
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
