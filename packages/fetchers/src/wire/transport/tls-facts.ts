import type { Socket } from 'node:net'
import { type DetailedPeerCertificate, type PeerCertificate, TLSSocket } from 'node:tls'
import type { TlsFacts } from '../../contract/events.ts'
import type { RetrievalContext } from '../../contract/fetcher.ts'

/** Emits the event of a finished TLS handshake. Reading the facts takes longer than the event: see hasListener. */
export function tellSecured({ emit, url, hasListener }: RetrievalContext, host: string, socket: Socket): void {
  if (hasListener === false || !(socket instanceof TLSSocket)) return
  // Node gives nothing if the socket is already closed, and an empty object if there is no certificate.
  const certificate: Partial<DetailedPeerCertificate> = socket.getPeerCertificate(true) ?? {}
  emit({ type: 'secured', url, chain: chainOf(certificate), ...tlsFacts(host, socket, certificate) })
}

/**
 * Returns the certificates in DER without the root, which issued itself: Node adds it from the trusted ones, and
 * servers seldom send it.
 */
function chainOf(certificate: Partial<DetailedPeerCertificate>): Uint8Array[] {
  if (certificate.raw === undefined) return []
  const chain: Uint8Array[] = [certificate.raw]
  let issuer = certificate.issuerCertificate
  while (issuer?.raw !== undefined && issuer.issuerCertificate !== issuer && chain.length < maxChain) {
    chain.push(issuer.raw)
    issuer = issuer.issuerCertificate
  }
  return chain
}

/** OpenSSL verifies at most this many: 100 and both ends. */
const maxChain = 102

function tlsFacts(host: string, socket: TLSSocket, certificate: Partial<PeerCertificate>): TlsFacts {
  const { standardName = '', name = '' } = socket.getCipher() ?? {}
  return {
    host,
    version: socket.getProtocol(),
    cipher: standardName || name,
    alpn: socket.alpnProtocol || null,
    subject: shownName(certificate.subject),
    issuer: shownName(certificate.issuer),
    expires: shownDate(certificate.valid_to),
    trusted: socket.authorized,
    resumed: socket.isSessionReused(),
  }
}

/** Writes a name as `CN=www.example.org, O=Example`. An attribute may have several values. */
function shownName(name: object | undefined): string | null {
  const parts = Object.entries(name ?? {}).flatMap(([attribute, values]) =>
    [values].flat().map((value) => `${attribute}=${value}`),
  )
  return parts.length === 0 ? null : parts.join(', ')
}

/** Converts a date, which OpenSSL writes as `Jan 31 00:00:00 2030 GMT`. */
function shownDate(text: string | undefined): string | null {
  const date = new Date(text ?? '')
  return Number.isNaN(date.getTime()) ? null : date.toISOString()
}
