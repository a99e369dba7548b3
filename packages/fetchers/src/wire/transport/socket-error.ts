import { printable, type RetrievalError } from '@retriever/core'
import { adviceText } from '@retriever/core/internal'
import type { RetrievalContext } from '../../contract/fetcher.ts'
import { whyUnreadable } from '../../kit/system-reason.ts'

interface SystemError {
  readonly syscall?: string
  readonly code?: string
  readonly message: string
}

/** Makes the error for a failed connection attempt from Node's error code. */
export function connectError(
  context: RetrievalContext,
  peer: { readonly host: string; readonly port: number; readonly name?: string; readonly isFurther?: boolean },
  cause: unknown,
): RetrievalError {
  const { code, message, syscall } = firstError(cause)
  const socket = peer.isFurther ? undefined : context.network?.socketPath
  if (syscall === 'bind') return bindError(context, code ?? message, cause)
  const where = peer.name ?? `${peer.host}${peer.host.includes(':') ? ' port ' : ':'}${peer.port}`
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN' || code === 'EAI_NODATA') {
    const what =
      code === 'EAI_AGAIN' ? `The name ${peer.host} could not be looked up now; try again.` : unknownName(context, peer)
    return context.error('host-not-found', what, { phase: 'lookup', transient: isPassing(code), cause })
  }
  if (isRefusal(code)) return certificateRefused(context, cause)
  if (isCertificateError(code)) {
    const what = certificateProblem(where, code, message)
    if (what !== null) return context.error('certificate', what, { phase: 'tls', cause })
    const advice = { option: peer.name === undefined ? 'tls.ca' : 'tls.proxyCa' } as const
    const distrust = `The certificate of ${where} is not trusted (${message}). Give its CA by ${adviceText(advice)}.`
    return context.error('certificate', distrust, { phase: 'tls', cause, advice })
  }
  if (code?.startsWith('ERR_SSL') || code === 'EPROTO' || code?.startsWith('ERR_TLS')) {
    // `809C237CB87F0000:error:0A00010B:SSL routines:ssl3_get_record:wrong version number:../deps/openssl/...:350:`
    const [, reason = message] = /:SSL routines:[^:]*:([^:]+):/.exec(message) ?? []
    const what = isClear(reason)
      ? `${capitalised(where)} answers without TLS (${reason}); use the scheme without it, or check the port.`
      : `No TLS session with ${where} (${reason}); check that this port speaks TLS.`
    return context.error('tls-failed', what, { phase: 'tls', cause })
  }
  if (code === 'ECONNREFUSED' && socket === undefined) {
    const what = `${capitalised(where)} refused the connection; nothing listens there. Check host and port.`
    return context.error('connect-failed', what, { phase: 'connect', cause })
  }
  const [to, why] =
    socket === undefined
      ? [where, code ?? message]
      : [`the socket ${printable(socket)}`, code === 'ECONNREFUSED' ? 'nothing listens there' : whyUnreadable(cause)]
  return context.error('connect-failed', `No connection to ${to}: ${why}.`, {
    phase: 'connect',
    transient: isPassing(code),
    cause,
  })
}

function unknownName({ network }: RetrievalContext, { host, name }: { host: string; name?: string }): string {
  const named = `No host is named ${host}${name ? `, as ${name} is` : ''}`
  if (network?.family === undefined) return `${named}; check the spelling.`
  const advice = { option: 'network.family', value: network.family } as const
  return `${named} and has an address that ${adviceText(advice)} allows; check the spelling, or leave it out.`
}

/** Makes the error for a local address or port that cannot be used. */
export function bindError(context: RetrievalContext, reason: string, cause?: unknown): RetrievalError {
  const { localPort, localAddress } = context.network ?? {}
  const option = reason === 'EADDRINUSE' || localAddress === undefined ? 'network.localPort' : 'network.localAddress'
  const advice = { option: localPort === undefined ? 'network.localAddress' : option } as const
  const message = `No connection can be made from the address and port that ${adviceText(advice)} names: ${reason}.`
  return context.error('connect-failed', message, { phase: 'connect', advice, cause })
}

/** Whether OpenSSL says that the octets are no TLS record. */
function isClear(reason: string): boolean {
  return /^(?:wrong version number|packet length too long|unknown protocol|http request)$/.test(reason)
}

/** Describes a problem with a certificate's name or date, which no CA can solve; null if there is none. */
function certificateProblem(where: string, code: string | undefined, message: string): string | null {
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    return `The certificate of ${where} is for other names (${message}). Check the host; another server may answer there.`
  }
  if (code === 'CERT_HAS_EXPIRED' || code === 'CERT_NOT_YET_VALID') {
    return `The certificate of ${where} is not valid now (${message}). Check the clock, or tell the server's operator.`
  }
  return null
}

/** Lets `the proxy http://h:1080` begin a sentence. */
function capitalised(text: string): string {
  return text.replace(/^the /, 'The ')
}

/** Makes the error for a connection that broke after it was open. */
export function receiveError(context: RetrievalContext, cause: unknown): RetrievalError {
  const { code, message } = firstError(cause)
  // In TLS 1.3 a server refuses a client's certificate after the client's handshake is done (RFC 8446 4.4.2.4).
  if (isRefusal(code)) return certificateRefused(context, cause)
  const what = code === 'ECONNRESET' ? 'The server reset the connection' : `The connection broke (${code ?? message})`
  const inBody = context.deadline.phase === 'body'
  return context.error(
    inBody ? 'partial' : 'receive-failed',
    `${what}${inBody ? ' before the whole body had come' : ''}; try again.`,
    { transient: isPassing(code), cause },
  )
}

/**
 * Whether the server sent a TLS alert about our certificate (RFC 8446 6.2). If the server's own certificate is bad, the
 * client sends an alert and receives none.
 */
function isRefusal(code: string | undefined): boolean {
  const alert = /ALERT_(.*)/s.exec(code ?? '')?.[1] ?? ''
  return /^(?:(?:BAD|UNSUPPORTED)_CERTIFICATE|CERTIFICATE_\w+|UNKNOWN_CA|ACCESS_DENIED)$/.test(alert)
}

function certificateRefused(context: RetrievalContext, cause: unknown): RetrievalError {
  const said = firstError(cause).message.slice(0, 200)
  if (context.tls.cert === undefined) {
    const advice = { option: 'tls.cert' } as const
    const what = `The server wants a certificate of the client; give one by ${adviceText(advice)}. (${said})`
    return context.error('auth-required', what, { phase: 'tls', cause, advice })
  }
  const what = `The server refused the client's certificate; ask its operator which one it takes. (${said})`
  return context.error('auth-failed', what, { phase: 'tls', cause })
}

/**
 * Whether another try may help (threats.md R13): it may if the lookup service says so or the connection was lost. If
 * nothing listens or TLS fails, another try fails the same way.
 */
function isPassing(code: string | undefined): boolean {
  return code !== undefined && /^(?:EAI_AGAIN|ECONNRESET|ECONNABORTED|EPIPE|ENETRESET|ETIMEDOUT)$/.test(code)
}

/** Takes the first of the errors in an AggregateError, which Node gives if it tried several addresses. */
function firstError(cause: unknown): SystemError {
  if (cause instanceof AggregateError && cause.errors.length > 0) return firstError(cause.errors[0])
  const { code, message, syscall } =
    cause instanceof Error ? (cause as SystemError) : { message: String(cause), syscall: undefined }
  // OpenSSL ends messages with a line break, and the server influences some of their text.
  return {
    ...(code !== undefined && { code }),
    ...(syscall !== undefined && { syscall }),
    message: printable(message.trim()),
  }
}

function isCertificateError(code: string | undefined): boolean {
  return code !== undefined && /CERT|SELF_SIGNED|UNABLE_TO_(?:GET|VERIFY)|ALTNAME|CRL|HOSTNAME_MISMATCH/.test(code)
}
