import type { ProxyServer } from '../../../contract/network.ts'
import type { HttpRequest } from '../request.ts'

/** The header section of a response. */
export interface Head {
  readonly status: number
  /** The reason phrase as sent, which may be empty; HTTP/1.1 gives it no meaning. */
  readonly reason: string
  /** The version as sent: `HTTP/1.1`. */
  readonly version: string
  /** The fields in the order in which they came, one octet a character. */
  readonly fields: readonly (readonly [name: string, value: string])[]
}

/** A connection to a server, or to a proxy that is asked for whole URLs. It stays open between retrievals. */
export interface HttpConnection {
  /** The proxy at its other end; null: a server. */
  readonly proxy: ProxyServer | null
  /** The server's address; undefined behind a proxy, which alone knows it. */
  readonly peerAddress: string | undefined
  /**
   * True where the connection has served before. An exchange that fails on it may be sent again at once: perhaps the
   * server closed the idle connection or, in HTTP/2, was about to end it.
   */
  readonly isReused: boolean
  /** Whether another exchange may begin now. */
  readonly hasRoom: boolean
  /** True for HTTP/2: several exchanges may be under way at a time. */
  readonly isShared: boolean
  /** Whether the end of a body is proved even without a length or a last chunk: by HTTP/2, or close_notify of TLS. */
  readonly provesEnd: boolean
  begin(request: HttpRequest): Exchange
  /** Called when the connection can serve again; the pool sets it. */
  onFree: () => void
  onceClosed(listener: () => void): void
  /** Ends the connection at once. Settles when it is closed. */
  destroy(): Promise<void>
}

/** One request and its response, pulled by its consumer. */
export interface Exchange {
  readonly connection: HttpConnection
  /** The first octets of the response, one a character, to be shown if it is not HTTP. */
  readonly firstOctets: string
  /** Settles when the final response's header section has come; rejects with the error of undici or the socket. */
  head(): Promise<Head>
  /**
   * The next octets of the body if they have come, null at its end, undefined if `arrival` is to be awaited. They are
   * valid until the next call. Throws as `head`. At the end, the connection serves again by itself.
   */
  take(): Uint8Array | null | undefined
  arrival(): Promise<void>
  /** A copy of a small body that has come whole with the head; null: take the body piece by piece. */
  takeWhole(): Uint8Array | null
  /** Ends the exchange, and in HTTP/1.1 also the connection. Settles when that is done. */
  cancel(): Promise<void>
}

/** The most octets of a response that are kept, to be shown if it is not HTTP. */
export const shownOctets = 80

/** The most interim responses: a server must not keep a client busy with them without end (security.md section 2). */
export const maxInterim = 10

export class TooManyInterim extends Error {}

/** The most fields of a head. No server sends so many; Apache reads 100 of a request. */
export const maxFields = 1000

export class TooManyFields extends Error {
  override readonly message: string = `more than ${maxFields} header fields`
}

/** This error has the code of undici's own error for the same. */
export class HeadTooLarge extends Error {
  readonly code = 'UND_ERR_HEADERS_OVERFLOW'
}

/**
 * Thrown where octets came before the request (security.md case 39: a response that is queued on an idle connection).
 */
export class UnsolicitedData extends Error {}

/** Thrown where octets come without end, and without bringing a head or a body. */
export class UnboundedHead extends Error {}

/** Thrown for a response that is not valid HTTP/1; the message says why. */
export class InvalidHttp extends Error {}

/** Thrown where the connection ended before the whole body had come. */
export class PrematureClose extends Error {}

/** Thrown where nothing but the end of TLS marks that of the body, and TLS has ended without close_notify. */
export class TlsCut extends PrematureClose {}

/** Thrown where the connection was lost before the request was written; `cause` says how. */
export class ConnectionLost extends Error {}
