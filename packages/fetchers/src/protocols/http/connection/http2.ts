import { type ClientHttp2Session, connect } from 'node:http2'
import type { Socket } from 'node:net'
import { authority, type HttpPlan } from '@retriever/core/internal'
import type { Deadline } from '../../../contract/deadline.ts'
import type { HttpRequest } from '../request.ts'
import type { Exchange, HttpConnection } from './connection.ts'
import { Http2Exchange } from './http2-exchange.ts'

/**
 * How many octets a server may send before the consumer has taken them, on one stream and on all together. With the
 * protocol's 64 KiB, each large body would stall.
 */
const streamWindow = 2 ** 21
const sessionWindow = 2 ** 23
/** What each field counts in addition to its own octets (RFC 9113 6.5.2). */
const fieldOverhead = 32
/** The same time as for HTTP/1.1. */
const keepAliveMilliseconds = 4000

/** One TLS connection with Node's HTTP/2 (RFC 9113). It carries as many exchanges at a time as the server allows. */
export class Http2Connection implements HttpConnection {
  readonly proxy = null
  readonly peerAddress: string | undefined
  readonly isShared = true
  readonly provesEnd = true
  /** How many octets a header section may have. */
  readonly maxReply: number
  onFree: () => void = () => {}
  onUsed: () => void = () => {}
  readonly #session: ClientHttp2Session
  #exchanges = 0
  #hasServed = false
  #isGoing = false

  constructor(socket: Socket, plan: HttpPlan, maxReply: number, peerAddress: string | undefined) {
    this.peerAddress = peerAddress
    this.maxReply = maxReply
    // Twice the limit, for the overhead. Up to this size our own error says what is too large; above it, Node resets
    // the stream.
    const listSize = Math.min(Math.max(2 * maxReply, 2 * 128 * fieldOverhead), 2 ** 31)
    this.#session = connect(`https://${authority(plan, 443)}`, {
      createConnection: () => socket,
      // Node's default, 128, is less than some servers send.
      maxHeaderListPairs: Math.ceil(listSize / (2 * fieldOverhead)),
      settings: { enablePush: false, initialWindowSize: streamWindow, maxHeaderListSize: listSize },
    })
    this.#session.once('connect', () => this.#session.setLocalWindowSize(sessionWindow))
    // Each stream tells its own exchange.
    this.#session.on('error', () => {})
    this.#session.on('goaway', () => {
      this.#isGoing = true
    })
    // Node calls the callback of setTimeout() only once, and that may be in the middle of a body.
    this.#session.on('timeout', () => {
      if (this.#exchanges === 0) void this.destroy()
    })
  }

  /**
   * False for a connection that still serves, or has never served. Otherwise, a server that refuses every stream, or
   * the first one of each connection, would be asked without end.
   */
  get isReused(): boolean {
    return this.#hasServed && (this.#isGoing || this.#session.closed || this.#session.destroyed)
  }

  get hasRoom(): boolean {
    const { maxConcurrentStreams = 100 } = this.#session.remoteSettings ?? {}
    return !this.#isGoing && !this.#session.closed && !this.#session.destroyed && this.#exchanges < maxConcurrentStreams
  }

  get isIdle(): boolean {
    return this.#exchanges === 0
  }

  begin({ method, target, host, fields }: HttpRequest, deadline: Deadline): Exchange {
    deadline.look()
    // Throws if the session has ended in the meantime.
    const stream = this.#session.request(
      {
        ':method': method,
        ':scheme': 'https',
        // It stands in place of Host (RFC 9113 8.3.1).
        ':authority': host,
        ':path': target,
        ...Object.fromEntries(fields.map(([name, value]) => [name.toLowerCase(), value])),
      },
      { endStream: true },
    )
    this.#exchanges++
    this.#session.ref()
    stream.once('close', () => {
      this.#exchanges--
      if (this.#exchanges === 0) this.#startIdleTimer()
      if (this.hasRoom) this.onFree()
    })
    return new Http2Exchange(this, stream)
  }

  /** Notes that a response has begun. */
  served(): void {
    this.#hasServed = true
  }

  onceClosed(listener: () => void): void {
    if (this.#session.destroyed) listener()
    else this.#session.once('close', listener)
  }

  /**
   * Starts the timer anew. Otherwise only octets do so, and the timer may have expired while the last body was read
   * from memory.
   */
  #startIdleTimer(): void {
    this.#session.unref()
    this.#session.setTimeout(keepAliveMilliseconds)
  }

  async destroy(): Promise<void> {
    if (this.#session.destroyed) return
    await new Promise<void>((resolve) => {
      this.#session.once('close', resolve)
      this.#session.destroy()
    })
  }
}
