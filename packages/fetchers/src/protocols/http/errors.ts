import { type Advice, type ErrorCode, printable, RetrievalError } from '@retriever/core'
import { adviceText, authority, type HttpPlan } from '@retriever/core/internal'
import type { Hide } from '../../auth/sent-secrets.ts'
import type { RetrievalContext } from '../../contract/fetcher.ts'
import type { ProxyServer } from '../../contract/network.ts'
import { httpDate } from '../../kit/text/date.ts'
import { receiveError } from '../../wire/transport/socket-error.ts'
import {
  ConnectionLost,
  type Exchange,
  InvalidHttp,
  PrematureClose,
  TlsCut,
  TooManyFields,
  TooManyInterim,
  UnboundedHead,
  UnsolicitedData,
} from './connection/connection.ts'
import { type ResponseHead, shownFields } from './response.ts'

/** Statuses that have an error code of their own. The sentence says what to do. */
const ownCodes: Readonly<Record<number, readonly [code: ErrorCode, message: string]>> = {
  403: ['access-denied', 'The server denies access; it may want a login, or another address.'],
  404: ['not-found', 'The server has no such resource; check the path.'],
  407: ['auth-required', 'A proxy on the way wants a user and password of its own.'],
  410: ['not-found', 'The resource is gone for good.'],
}

/** Statuses of conditions that may pass (RFC 9110 15.5.9, 15.6.1, 15.6.3 to 15.6.5; RFC 8470 5.2; RFC 6585 4). */
const temporary: ReadonlySet<number> = new Set([408, 425, 429, 500, 502, 503, 504])

/** Makes the error for a status of 400 or more, except 401. `proxy` is the one that was asked for the URL. */
export function statusError(
  head: ResponseHead,
  excerpt: string,
  proxy: ProxyServer | null,
  context: RetrievalContext,
): RetrievalError {
  const { status, reply } = head
  const transient = temporary.has(status)
  const retryAfter = transient ? retryAfterOf(head) : undefined
  const words: Words =
    retryAfter !== undefined
      ? retryAfterWords(retryAfter, context)
      : proxy
        ? proxyWords(proxy, context)
        : statusWords(head, excerpt)
  const [code, message, advice] = ownCodes[status] ?? ['http-error', ...words]
  return context.error(code, `${message} (${reply})`, {
    status,
    reply,
    response: { headers: shownFields(head), excerpt },
    phase: 'request',
    transient,
    ...(retryAfter !== undefined && { retryAfter }),
    ...(advice && { advice }),
  })
}

/**
 * Returns the value of Retry-After in milliseconds (RFC 9110 10.2.3). It is a number of seconds, or a date by the
 * server's clock, which the Date field shows.
 */
function retryAfterOf(head: ResponseHead): number | undefined {
  const field = head.field('retry-after') ?? ''
  // No more than some 30 years, so that it stays a date.
  if (/^\d+$/.test(field)) return 1000 * Math.min(1e9, Number(field))
  const until = httpDate(field)
  const now = httpDate(head.field('date')) ?? new Date()
  return until === null ? undefined : Math.max(0, until.getTime() - now.getTime())
}

/** A message, and the option that it names. */
type Words = readonly [message: string, advice?: Advice]

function retryAfterWords(milliseconds: number, { limits }: RetrievalContext): Words {
  const limit = limits.maxRetryDelay
  const what = `The server wants no request now. Try again in ${Math.ceil(milliseconds / 1000)} s`
  if (milliseconds <= limit) return [`${what}.`]
  const advice = { option: 'limits.maxRetryDelay' } as const
  return [`${what}, longer than ${limit / 1000} s (${adviceText(advice)}).`, advice]
}

function statusWords(head: ResponseHead, excerpt: string): Words {
  if (head.status === 429) return ['The server wants fewer requests; try again later.']
  if (head.status >= 500) return ['The server failed; try again later.']
  if (head.status === 400 && isAboutTls(excerpt)) return [`The server expects TLS on this port; ${useTls}.`]
  // The page often gives the reason: "No required SSL certificate was sent".
  const advice = { option: 'error.response' } as const
  return [`The server refused the request; ${adviceText(advice)} has what it says.`, advice]
}

const useTls = 'write https: in place of http:'

/** Whether the page says, as nginx, Apache or Go do, that a request came in the clear to a port of TLS. */
function isAboutTls(page: string): boolean {
  return /\b(?:request (?:was sent )?to (?:an )?HTTPS|plain HTTP to an SSL-enabled)\b/.test(page)
}

/** Makes the error for a request in the clear to a port on which the server speaks TLS. */
export function tlsPortError({ host, port }: HttpPlan, context: RetrievalContext): RetrievalError {
  const what = `${authority({ host, port }, 80)} speaks TLS and answers nothing else; ${useTls}.`
  return context.error('protocol-violation', what)
}

/**
 * Describes a status that may be the proxy's or the server's. tinyproxy answers an ftp URL with 400 or 503; squid
 * answers with 503 if the server cannot be reached.
 */
function proxyWords({ url }: ProxyServer, context: RetrievalContext): Words {
  const what = `The proxy ${url}, or the server behind it, refused or failed.`
  if (!context.url.startsWith('ftp:')) return [what]
  const advice = { option: 'proxyTunnel' } as const
  return [`${what} If it knows no FTP, go through a tunnel: ${adviceText(advice)}.`, advice]
}

const replyLimit: Advice = { option: 'limits.maxReply' }

/** Makes the RetrievalError for an error of undici or the socket. `hide` is for an answer that is not HTTP. */
export function exchangeError(
  context: RetrievalContext,
  exchange: Exchange,
  thrown: unknown,
  hide: Hide = (octets) => octets,
): RetrievalError {
  if (RetrievalError.is(thrown)) return thrown
  const cause = thrown instanceof ConnectionLost ? (thrown.cause ?? thrown) : thrown
  const { name, code, message } = nameCodeAndMessage(cause)
  const inBody = context.deadline.phase === 'body'
  if (code === 'UND_ERR_HEADERS_OVERFLOW') {
    const what = `The header section is over ${context.limits.maxReply} octets (${adviceText(replyLimit)}).`
    return context.error('limit-exceeded', what, { cause, advice: replyLimit })
  }
  if (cause instanceof UnboundedHead) {
    const most = `${context.limits.maxReply} octets (${adviceText(replyLimit)})`
    const what = `The server keeps sending ${message}; no more than ${most} are read.`
    return context.error('limit-exceeded', what, { advice: replyLimit })
  }
  if (cause instanceof TooManyFields) return context.error('limit-exceeded', `The server sent ${message}.`)
  if (cause instanceof TooManyInterim) return context.error('protocol-violation', `The server sent ${message}.`)
  const mismatch = code === 'UND_ERR_RES_CONTENT_LENGTH_MISMATCH'
  // llhttp's "Invalid EOF state" means that the connection ended within a message.
  const ended =
    cause instanceof PrematureClose ||
    (name === 'HTTPParserError' && /EOF/.test(message)) ||
    (code === 'UND_ERR_SOCKET' && /closed/.test(message))
  if (inBody && (mismatch || ended)) {
    const message =
      cause instanceof TlsCut
        ? 'The body may have been cut: it has no length, and TLS ended without close_notify; try again.'
        : 'The connection ended before the whole body had come; try again.'
    return context.error('partial', message, { transient: true, cause })
  }
  if (ended) {
    return context.error(
      'receive-failed',
      `${peerName(exchange)} closed the connection without an answer; try again.`,
      {
        transient: true,
        cause,
      },
    )
  }
  if (name === 'HTTPParserError' || cause instanceof UnsolicitedData || cause instanceof InvalidHttp)
    return notHttp(context, exchange, cause, hide)
  if (code.startsWith('ERR_HTTP2_')) return http2Error(context, code, message, cause)
  return receiveError(context, cause)
}

/** Codes that say nothing against the request (RFC 9113 7), or that the server has not looked at it (8.7). */
const temporaryResets = /NGHTTP2_(?:NO_ERROR|INTERNAL_ERROR|REFUSED_STREAM|CANCEL|CONNECT_ERROR|ENHANCE_YOUR_CALM)$/

/** Whether the server has not looked at the request. It may then be sent again at once (RFC 9113 8.7). */
export function isRefusedStream(cause: unknown): boolean {
  return cause instanceof Error && cause.message.endsWith('NGHTTP2_REFUSED_STREAM')
}

/**
 * Makes the error for a stream that was reset by the server or for a violation, or whose connection ended in this way.
 */
function http2Error(context: RetrievalContext, code: string, message: string, cause: unknown): RetrievalError {
  const reason = /NGHTTP2_(\w{1,40})$/.exec(message)?.[1] ?? code
  if (context.deadline.phase === 'body') {
    const what = `The answer broke off before the whole body had come (${reason}); try again.`
    return context.error('partial', what, { transient: true, cause })
  }
  if (reason === 'HTTP_1_1_REQUIRED') {
    const advice = { option: 'httpFetcher.http2', value: false } as const
    const what = `The server wants HTTP/1.1 for this, not HTTP/2; use ${adviceText(advice)}.`
    return context.error('receive-failed', what, { cause, advice })
  }
  const transient = temporaryResets.test(message) || code === 'ERR_HTTP2_STREAM_CANCEL'
  return context.error('receive-failed', `The request broke off (${reason}); try again.`, { transient, cause })
}

function peerName({ connection: { proxy } }: Exchange): string {
  return proxy === null ? 'The server' : `The proxy ${proxy.url}`
}

function nameCodeAndMessage(cause: unknown): { name: string; code: string; message: string } {
  if (!(cause instanceof Error)) return { name: '', code: '', message: String(cause) }
  return { name: cause.name, code: 'code' in cause ? String(cause.code) : '', message: cause.message }
}

/** The first octet of a TLS record that holds an alert (RFC 8446 5.1). */
const tlsAlert = '\x15'

function notHttp(context: RetrievalContext, exchange: Exchange, cause: unknown, hide: Hide): RetrievalError {
  const first = exchange.firstOctets
  if (first.startsWith('HTTP/')) {
    const message = cause instanceof Error ? cause.message : ''
    // undici says "Response does not match the HTTP/1.1 protocol (Invalid character in chunk size)".
    const reason =
      cause instanceof InvalidHttp || cause instanceof UnsolicitedData ? message : /^[^(]*\((.*)\)/.exec(message)?.[1]
    const what = `The server's answer is not valid HTTP: ${printable(hide(reason ?? 'the parser gives no reason'))}.`
    // A cause that repeats a secret is left out, since people log it.
    return context.error('protocol-violation', what, hide(message) === message ? { cause } : {})
  }
  const shown = printable(hide(first).slice(0, 60))
  if (first.startsWith(tlsAlert)) {
    const what = `${peerName(exchange)} answers in TLS (${shown}); ${useTls}.`
    return context.error('protocol-violation', what, { reply: shown, cause })
  }
  const message = `${peerName(exchange)} does not speak HTTP; its answer begins: ${shown}. Check scheme and port.`
  return context.error('protocol-violation', message, { reply: shown, cause })
}
