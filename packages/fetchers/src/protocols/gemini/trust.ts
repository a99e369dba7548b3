import type { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import type { RetrievalContext } from '../../contract/fetcher.ts'

/** A certificate that a server has shown. */
export interface KnownCertificate {
  /** SHA-256 of the certificate, in lower-case hexadecimal. */
  readonly fingerprint: string
  /** When the certificate expires. Null if it names no readable date. */
  readonly expires: Date | null
}

/** The certificates of Gemini servers, for trust on first use. A place is `host:port`. */
export interface CertificateStore {
  /** Returns null or undefined if the place is not known. */
  recall(place: string): KnownCertificate | null | undefined | Promise<KnownCertificate | null | undefined>
  /** Returns or resolves to false if the certificate is known until this process ends, but could not be stored. */
  keep(place: string, certificate: KnownCertificate): unknown
}

/** Makes a store in memory. */
export function memoryStore(): CertificateStore {
  const known = new Map<string, KnownCertificate>()
  return {
    recall: (place) => known.get(place),
    keep: (place, certificate) => void known.set(place, certificate),
  }
}

/**
 * Checks the server's certificate before anything is sent. One from a trusted CA for this host is accepted. Any other
 * is trusted on first use, and must then stay the same until it expires. Throws `certificate` if it has changed.
 * Returns its fingerprint.
 */
export async function checkCertificate(
  socket: Socket,
  { host, port }: { readonly host: string; readonly port: number },
  store: CertificateStore,
  context: RetrievalContext,
): Promise<string> {
  const shown = certificateOf(socket)
  if (shown === null) throw context.error('certificate', 'The server has shown no certificate.', { phase: 'tls' })
  if (context.tls.insecure === true) return shown.fingerprint
  const place = `${host}:${port}`
  if (socket instanceof TLSSocket && /REVOKED/.test(String(socket.authorizationError))) {
    throw context.error('certificate', `The certificate of ${place} is revoked.`, { phase: 'tls' })
  }
  const { deadline } = context
  const known = (await deadline.unlimited(async () => store.recall(place))) ?? null
  if (known?.fingerprint === shown.fingerprint) return shown.fingerprint
  const isOfCa = socket instanceof TLSSocket && socket.authorized
  const isOver = known?.expires !== null && known !== null && known.expires.getTime() < Date.now()
  if (known !== null && !isOfCa && !isOver) {
    const message =
      `The certificate of ${place} is not the one that it had before (now SHA-256 ${shown.fingerprint}, before ` +
      `${known.fingerprint}); another server may answer there. If its operator confirms the new one, forget the old one.`
    throw context.error('certificate', message, { phase: 'tls' })
  }
  const isStored = (await deadline.unlimited(async () => store.keep(place, shown))) !== false
  const since = isStored ? 'from now on' : 'this time only, since it could not be stored'
  const message = isOfCa ? null : known === null ? firstUse(place, shown, since) : replaced(place, shown, known, since)
  if (message !== null) context.emit({ type: 'remark', url: context.url, message })
  return shown.fingerprint
}

function firstUse(place: string, { fingerprint }: KnownCertificate, since: string): string {
  return `The certificate of ${place} is trusted ${since}, on first use: SHA-256 ${fingerprint}.`
}

function replaced(place: string, shown: KnownCertificate, { expires }: KnownCertificate, since: string): string {
  const day = expires?.toISOString().slice(0, 10)
  return `The certificate that ${place} had before expired on ${day}; the new one is trusted ${since}: SHA-256 ${shown.fingerprint}.`
}

function certificateOf(socket: Socket): KnownCertificate | null {
  const certificate = socket instanceof TLSSocket ? socket.getPeerX509Certificate() : undefined
  if (certificate === undefined) return null
  const expires = new Date(certificate.validTo)
  return {
    fingerprint: certificate.fingerprint256.replaceAll(':', '').toLowerCase(),
    expires: Number.isNaN(expires.getTime()) ? null : expires,
  }
}
