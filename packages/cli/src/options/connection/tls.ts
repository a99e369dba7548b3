import type { TlsOptions } from '@retriever/fetchers'
import type { TlsRules } from '@retriever/fetchers/internal'
import { usageError } from '../../exit-codes.ts'
import { connecting, type GivenOptions, type OptionRow, urls } from '../option.ts'
import { isPem, readFolder, readPem } from './pem.ts'
import { type ProxyTlsOption, readProxyRules } from './proxy-tls.ts'
import { isKeyForSsh } from './ssh.ts'
import { readRules, type TlsRuleOption } from './tls-rules.ts'
import { trustOf } from './trust.ts'

export type TlsOption = 'cacert' | 'cert' | 'key' | 'pass' | 'insecure' | 'ssl-reqd'

export const tlsOptions: readonly OptionRow<TlsOption>[] = [
  {
    long: 'cacert',
    sent: false,
    arg: 'FILE',
    help:
      'Trust only the certificates in FILE (PEM); default: $CURL_CA_BUNDLE, else $SSL_CERT_FILE and $SSL_CERT_DIR, ' +
      'else those of Node and of this system',
    commands: connecting,
    example: 'retrieve --cacert ca.pem https://h.example/',
  },
  {
    long: 'cert',
    sets: ['tls.cert'],
    sent: false,
    short: 'E',
    arg: 'FILE[:PASSWORD]',
    help: 'Client certificate (PEM) for servers that ask for one; FILE may hold its key too, encrypted by PASSWORD',
    commands: connecting,
    example: 'retrieve --cert me.pem --key me.key https://h.example/',
  },
  {
    long: 'key',
    sets: ['tls.key', 'ssh.privateKey'],
    sent: false,
    arg: 'FILE',
    help: 'The private key of --cert (PEM); for sftp URLs the key to log in with',
    commands: connecting,
    example: 'retrieve --cert me.pem --key me.key https://h.example/',
  },
  {
    long: 'pass',
    sets: ['tls.passphrase', 'ssh.passphrase'],
    sent: false,
    arg: 'PHRASE',
    help: 'The passphrase of the private key',
    commands: connecting,
    example: 'retrieve --cert me.pem --pass secret https://h.example/',
  },
  {
    long: 'insecure',
    sent: false,
    short: 'k',
    help: 'Do not verify certificates: anybody may answer',
    commands: connecting,
    example: 'retrieve -k https://localhost:8443/',
  },
  {
    long: 'ssl-reqd',
    sets: ['defaults.requireTls'],
    sent: true,
    help: 'Require TLS of FTP, News, IMAP, POP3 and LDAP servers, by the command of each: ftp: means what ftpes: does',
    commands: urls,
    example: 'retrieve --ssl-reqd ftp://ftp.example.org/x',
  },
]

/**
 * The certificates to trust, and the client's own. Throws `invalid-option`, or `file-failed` for a file that cannot be
 * read.
 */
export function readTls(
  line: GivenOptions<TlsOption | TlsRuleOption | ProxyTlsOption | 'from'>,
  env: NodeJS.ProcessEnv,
): TlsOptions {
  const ca = readTrusted(line, 'cacert', 'capath')
  const proxyCa = readTrusted(line, 'proxy-cacert', 'proxy-capath')
  const proxy = { ...readIdentity(line, 'proxy-'), ...readProxyRules(line) }
  return {
    ...(ca === undefined ? trustOf(env) : { ca }),
    ...(proxyCa !== undefined && { proxyCa }),
    ...readIdentity(line, ''),
    ...readRules(line),
    ...(Object.keys(proxy).length > 0 && { proxy }),
    insecure: line.has('insecure'),
  }
}

/** The certificates to trust, those of a file and of a folder together; undefined means the built-in ones. */
function readTrusted(
  line: GivenOptions<TlsOption | TlsRuleOption | ProxyTlsOption>,
  fileOption: 'cacert' | 'proxy-cacert',
  folderOption: 'capath' | 'proxy-capath',
): string | undefined {
  const file = line.value(fileOption)
  const folder = line.value(folderOption)
  if (file === undefined && folder === undefined) return undefined
  const ofFile = file === undefined ? '' : readPem(fileOption, file, 'certificate')
  return ofFile + (folder === undefined ? '' : readFolder(folderOption, folder))
}

/** The client's certificate and key for servers, or for proxies (`prefix`). */
function readIdentity(line: GivenOptions<TlsOption | ProxyTlsOption | 'from'>, prefix: '' | 'proxy-'): TlsRules {
  const typed = line.value(`${prefix}cert`)
  const keyFile = line.value(`${prefix}key`)
  if (typed === undefined) {
    if (keyFile === undefined || (prefix === '' && isKeyForSsh(line))) return {}
    throw usageError(`--${prefix}key needs --${prefix}cert, the certificate of the key.`)
  }
  const { file, password } = splitPassword(typed)
  const cert = readPem(`${prefix}cert`, file, 'certificate')
  const key = keyFile === undefined ? cert : readPem(`${prefix}key`, keyFile, 'private key')
  if (keyFile === undefined && !isPem(cert, 'private key'))
    throw usageError(`--${prefix}cert ${file} holds no key: give --${prefix}key too.`)
  const passphrase = line.value(`${prefix}pass`) ?? password
  return { cert, key, ...(passphrase !== undefined && { passphrase }) }
}

/** Splits `me.pem:secret`. As in curl, the file's name may contain `\:` for `:` and `\\` for `\`. */
function splitPassword(typed: string): { readonly file: string; readonly password: string | undefined } {
  const [, file = '', password] = /^((?:[^\\:]|\\.)*)(?::(.*))?$/s.exec(typed) ?? []
  return { file: file.replace(/\\([\\:])/g, '$1'), password }
}
