import type { Dispatcher } from 'undici'
import type { ProxyServer } from '../../plugin/network.ts'

/** The header section of an answer. */
export interface Head {
  readonly status: number
  /** As sent, which may be nothing; HTTP/1.1 gives it no meaning. */
  readonly reason: string
  /** `HTTP/1.1` */
  readonly version: string
  /** Name and value in turn, one octet a character. */
  readonly fields: readonly (readonly [name: string, value: string])[]
}

/** A connection to a server, or to a proxy that is asked for whole URLs. It lives on between retrievals. */
export interface HttpConnection {
  /** At its other end, where it is no server. */
  readonly proxy: ProxyServer | null
  /** The server's address; undefined behind a proxy, which alone knows it. */
  readonly peerAddress: string | undefined
  /**
   * It has served before: the exchange that has failed on it may have done so because the server closed it while it lay
   * idle or, in HTTP/2, was about to end it. It may be sent again at once then.
   */
  readonly isReused: boolean
  /** Another exchange may begin now. */
  readonly hasRoom: boolean
  /** Many exchanges may be under way at a time: HTTP/2. */
  readonly isShared: boolean
  begin(request: Dispatcher.DispatchOptions): Exchange
  /** To be set by whoever wants to know that it can serve again. */
  onFree: () => void
  onceClosed(listener: () => void): void
  /** Ends it at once. Settles when it is closed. */
  destroy(): Promise<void>
}

/** One request and its answer, pulled by its consumer. */
export interface Exchange {
  readonly connection: HttpConnection
  /** The first octets of the answer, one a character, to show what it was if it was no HTTP. */
  readonly firstOctets: string
  /** Settles when the final answer's header section has come; rejects with what the protocol or the socket said. */
  head(): Promise<Head>
  /**
   * The next octets of the body if they have come, null at its end, undefined if `arrival` is to be awaited. They are lent until the
   * next call. Throws as `head`. At the end, the connection serves again by itself.
   */
  take(): Uint8Array | null | undefined
  arrival(): Promise<void>
  /** All of a small body, the caller's own, where it has come with the head; null: it is to be taken piece by piece. */
  takeWhole(): Uint8Array | null
  /** Gives up what has not come. Settles when nothing of it is left. */
  cancel(): Promise<void>
}

/** Enough of an answer to show what it was, and to read `HTTP/1.1` from. */
export const shownOctets = 80

/** security.md section 2: a server must not keep a client busy with interim answers for ever. */
export const maxInterim = 10

export class TooManyInterim extends Error {}

/** The code is that of undici's error for the same. */
export class HeadTooLarge extends Error {
  readonly code = 'UND_ERR_HEADERS_OVERFLOW'
}

/** The server spoke first. */
export class UnsolicitedData extends Error {}

/** Octets without end that come to nothing. */
export class UnboundedHead extends Error {}

/** What came is no answer of HTTP/1, for the reason that its message gives. */
export class InvalidHttp extends Error {}

/** The connection ended before the body was whole. */
export class PrematureClose extends Error {}

/** The connection was lost, by its cause, before the request went out. */
export class ConnectionLost extends Error {}
