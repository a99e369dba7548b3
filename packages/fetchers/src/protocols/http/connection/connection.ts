import type { Deadline } from '../../../contract/deadline.ts'
import type { ProxyServer } from '../../../contract/network.ts'
import type { HttpRequest } from '../request.ts'
import type { NamedFields } from './named-fields.ts'

/** The header section of a response. */
export interface Head {
  readonly status: number
  /** The reason phrase as sent, perhaps empty. It has no meaning in HTTP/1.1. */
  readonly reason: string
  /** The version as sent: `HTTP/1.1`. */
  readonly version: string
  /** The fields in the order in which they arrived, one octet a character. */
  readonly fields: readonly (readonly [name: string, value: string])[]
  readonly named: NamedFields
}

/** A connection to a server, or to a proxy that is asked for whole URLs. It stays open between retrievals. */
export interface HttpConnection {
  /** The proxy at its other end. Null: it is a server. */
  readonly proxy: ProxyServer | null
  /** The server's address. Undefined through a proxy, since only the proxy knows it. */
  readonly peerAddress: string | undefined
  /**
   * True if the connection has served before. If an exchange fails on it, it may be sent again at once: perhaps the
   * server closed the idle connection or, in HTTP/2, was about to end it.
   */
  readonly isReused: boolean
  /** Whether another exchange may begin now. */
  readonly hasRoom: boolean
  /** True for HTTP/2: several exchanges may run at a time. */
  readonly isShared: boolean
  /** Whether the end of a body is proved even without a length or a last chunk: by HTTP/2, or by TLS's close_notify. */
  readonly provesEnd: boolean
  /** The deadline has a last look before the request is written. */
  begin(request: HttpRequest, deadline: Deadline): Exchange
  /** Called when the connection can serve again. The pool sets it. */
  onFree: () => void
  /** Called before the connection serves. The pool sets it. */
  onUsed: () => void
  /** Whether no exchange uses the connection. */
  readonly isIdle: boolean
  onceClosed(listener: () => void): void
  /** Ends the connection at once. Settles when it is closed. */
  destroy(): Promise<void>
}

/** One request and its response, which the consumer pulls. */
export interface Exchange {
  readonly connection: HttpConnection
  /** The first octets of the response, one a character. A message shows them if the response is not HTTP. */
  readonly firstOctets: string
  /** Settles when the final response's header section has arrived. Rejects with the error of undici or the socket. */
  head(): Promise<Head>
  /**
   * Takes the next octets of the body if they have arrived, null at its end, undefined if `arrival` is to be awaited.
   * They are valid until the next call. Throws as `head` does. At the end, the connection serves again by itself.
   */
  take(): Uint8Array | null | undefined
  arrival(): Promise<void>
  /** Returns a copy of a small body that arrived complete with the head. Null: take the body piece by piece. */
  takeWhole(): Uint8Array | null
  /** Ends the exchange, and in HTTP/1.1 also the connection. Settles when that is done. */
  cancel(): Promise<void>
}

/** How many octets of a response are kept for a message that says it is not HTTP. */
export const shownOctets = 80

/**
 * How many interim responses may come: a server must not keep a client busy with them for ever (threats.md section 2).
 */
export const maxInterim = 10

export class TooManyInterim extends Error {}

/** How many fields a head may have. No server sends this many; Apache reads 100 of a request. */
export const maxFields = 1000

export class TooManyFields extends Error {
  override readonly message: string = `more than ${maxFields} header fields`
}

/** Has the code of undici's own error for the same. */
export class HeadTooLarge extends Error {
  readonly code = 'UND_ERR_HEADERS_OVERFLOW'
}

/**
 * Thrown if octets arrived before the request (threats.md case 39: a response that is queued on an idle connection).
 */
export class UnsolicitedData extends Error {}

/** Thrown if octets come without end but bring neither a head nor a body. */
export class UnboundedHead extends Error {}

/** Thrown for a response that is not valid HTTP/1. The message says why. */
export class InvalidHttp extends Error {}

/** Thrown if the connection ended before the whole body had arrived. */
export class PrematureClose extends Error {}

/** Thrown if only the end of TLS marks the end of the body, and TLS ended without close_notify. */
export class TlsCut extends PrematureClose {}

/** Thrown if the connection was lost before the request was written. `cause` says how. */
export class ConnectionLost extends Error {}
