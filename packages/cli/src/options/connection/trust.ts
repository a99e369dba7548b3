import { existsSync, readFileSync } from 'node:fs'
import tls from 'node:tls'
import type { TlsOptions } from '@retriever/fetchers'
import { readFolder, readPem } from './pem.ts'

type Trust = Pick<TlsOptions, 'ca' | 'extraCa'>

/** By the values of the variables. Connections are shared only by those whose trust is the same function. */
const trusts = new Map<string, Trust>()

/**
 * The certificates to trust without --cacert and --capath. As in curl, they are those of $CURL_CA_BUNDLE, else those of
 * $SSL_CERT_FILE and $SSL_CERT_DIR; else those of this system in addition to Node's. They are read at the first
 * connection with TLS, which throws `file-failed` for a file that cannot be read.
 */
export function trustOf({ CURL_CA_BUNDLE, SSL_CERT_FILE, SSL_CERT_DIR }: NodeJS.ProcessEnv): Trust {
  const key = JSON.stringify([CURL_CA_BUNDLE, SSL_CERT_FILE, SSL_CERT_DIR])
  const trust = trusts.get(key) ?? newTrust(CURL_CA_BUNDLE, SSL_CERT_FILE, SSL_CERT_DIR)
  trusts.set(key, trust)
  return trust
}

function newTrust(bundle: string | undefined, file: string | undefined, folders: string | undefined): Trust {
  if (bundle) return { ca: once(() => readPem('$CURL_CA_BUNDLE', bundle, 'certificate')) }
  if (!file && !folders) return { extraCa: once(systemCertificates) }
  return {
    ca: once(() => {
      const ofFile = file ? readPem('$SSL_CERT_FILE', file, 'certificate') : ''
      // As in OpenSSL, the variable is a list of folders, and some of them may be missing.
      const listed = folders ? folders.split(process.platform === 'win32' ? ';' : ':') : []
      const found = listed.filter((folder) => existsSync(folder))
      const names = found.length === 0 ? listed : found
      return ofFile + names.map((folder) => readFolder('$SSL_CERT_DIR', folder)).join('')
    }),
  }
}

/** The files in which systems keep the certificates that they trust. */
const bundles = [
  // Debian, Ubuntu, Arch, Gentoo
  '/etc/ssl/certs/ca-certificates.crt',
  // Fedora, RHEL
  '/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem',
  '/etc/pki/tls/certs/ca-bundle.crt',
  // openSUSE
  '/etc/ssl/ca-bundle.pem',
  // Alpine, FreeBSD, macOS
  '/etc/ssl/cert.pem',
]

/** The certificates that this system trusts; "" if we do not know where they are. */
function systemCertificates(): string {
  const found = bundles.find((file) => existsSync(file))
  // Node 22.15 and later reads the stores of Windows and macOS, which are no files.
  const { getCACertificates } = tls as { getCACertificates?: (store: 'system') => string[] }
  try {
    return found === undefined ? (getCACertificates?.('system').join('\n') ?? '') : readFileSync(found, 'latin1')
  } catch {
    // Node still has its built-in certificates.
    return ''
  }
}

function once(read: () => string): () => string {
  let text: string | undefined
  return () => {
    text ??= read()
    return text
  }
}
