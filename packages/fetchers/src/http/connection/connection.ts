import type { Dispatcher } from 'undici'
import type { ProxyServer } from '../../plugin/network.ts'

/** The header section of a response. */
export interface Head {
  readonly status: number
  /** The reason phrase as sent, which may be empty; HTTP/1.1 gives it no meaning. */
  readonly reason: string
  /** `HTTP/1.1` */
  readonly version: string
  /** In the order in which they came, one octet a character. */
  readonly fields: readonly (readonly [name: string, value: string])[]
}

/** A connection to a server, or to a proxy that is asked for whole URLs. It stays open between retrievals. */
export interface HttpConnection {
  /** The proxy at its other end; null: a server. */
  readonly proxy: ProxyServer | null
  /** The server's address; undefined behind a proxy, which alone knows it. */
  readonly peerAddress: string | undefined
  /**
   * It has served before. An exchange that fails on it may be sent again at once: perhaps the server closed the idle
   * connection or, in HTTP/2, was about to end it.
   */
  readonly isReused: boolean
  /** Another exchange may begin now. */
  readonly hasRoom: boolean
  /** HTTP/2: several exchanges may be under way at a time. */
  readonly isShared: boolean
  begin(request: Dispatcher.DispatchOptions): Exchange
  /** Called when it can serve again; the pool sets it. */
  onFree: () => void
  onceClosed(listener: () => void): void
  /** Ends it at once. Settles when it is closed. */
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
  /** A copy of a small body that has come whole with the head; null: it is to be taken piece by piece. */
  takeWhole(): Uint8Array | null
  /** Ends the exchange, the connection too in HTTP/1.1. Settles when that is done. */
  cancel(): Promise<void>
}

/** Octets of a response that are kept, to be shown if it is not HTTP. */
export const shownOctets = 80

/** security.md section 2: a server must not keep a client busy with interim responses without end. */
export const maxInterim = 10

export class TooManyInterim extends Error {}

/** It has the code of undici's error for the same. */
export class HeadTooLarge extends Error {
  readonly code = 'UND_ERR_HEADERS_OVERFLOW'
}

/** Octets came before the request (security.md case 39: a response that is queued on an idle connection). */
export class UnsolicitedData extends Error {}

/** Octets come without end, and without bringing a head or a body. */
export class UnboundedHead extends Error {}

/** The response is not valid HTTP/1; the message says why. */
export class InvalidHttp extends Error {}

/** The connection ended before the whole body had come. */
export class PrematureClose extends Error {}

/** The connection was lost before the request was written; `cause` says how. */
export class ConnectionLost extends Error {}
