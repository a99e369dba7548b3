import type { Socket } from 'node:net'
import type { Deadline } from '../../../contract/deadline.ts'
import type { ProxyServer } from '../../../contract/network.ts'
import { notLoaded } from '../../../kit/optional-library.ts'
import type { SocketReader } from '../../../wire/transport/socket-reader.ts'
import { type HttpRequest, isSendable } from '../request.ts'
import { ConnectionLost, type Exchange, type HttpConnection } from './connection.ts'
import { Http1Exchange } from './http1-exchange.ts'
import type { UndiciClient } from './undici-client.ts'

/** One TCP or TLS connection with HTTP/1.1 (RFC 9112). It carries one exchange at a time. */
export class Http1Connection implements HttpConnection {
  readonly proxy: ProxyServer | null
  readonly peerAddress: string | undefined
  readonly isShared = false
  isReused = false
  /** Called when the connection can serve again. */
  onFree: () => void = () => {}
  onUsed: () => void = () => {}
  readonly #socket: Socket
  readonly #source: SocketReader
  /** How many octets a header section may have. */
  readonly maxReply: number
  #exchange: Http1Exchange | undefined
  #wasUsed = false
  /** True until the turn of the event loop in which an exchange ended is over. */
  #isResting = false
  /** undici's client; undefined: no answer has needed it. */
  #parser: UndiciClient | undefined
  #onParserReady: () => void = () => {}

  constructor(
    socket: Socket,
    source: SocketReader,
    maxReply: number,
    proxy: ProxyServer | null,
    peerAddress: string | undefined,
  ) {
    this.#socket = socket
    this.#source = source
    this.maxReply = Math.max(1, Math.min(Math.trunc(maxReply), Number.MAX_SAFE_INTEGER))
    this.proxy = proxy
    this.peerAddress = peerAddress
    socket.on('timeout', () => void this.destroy())
  }

  get provesEnd(): boolean {
    return this.#source.provesEnd
  }

  get hasRoom(): boolean {
    return this.#exchange === undefined && !this.#socket.destroyed
  }

  get isIdle(): boolean {
    return this.hasRoom
  }

  /** The error that broke the connection. Null: none has. */
  get failure(): Error | null {
    return this.#source.failure
  }

  begin(request: HttpRequest, deadline: Deadline): Exchange {
    this.isReused = this.#wasUsed
    this.#wasUsed = true
    this.#socket.ref()
    this.#socket.setTimeout(0)
    const exchange = new Http1Exchange(this, this.#source, request)
    this.#exchange = exchange
    // Octets that follow the last answer arrive before the next turn of the event loop, and so does the end of a
    // connection whose server closes it without having said so.
    if (this.#isResting) setImmediate(() => this.#send(exchange, request, deadline))
    else this.#send(exchange, request, deadline)
    return exchange
  }

  #send(exchange: Http1Exchange, request: HttpRequest, deadline: Deadline): void {
    const objection = this.#objection(exchange, request) ?? endOf(deadline)
    if (objection === null) {
      exchange.requestSent()
      this.#socket.write(request.octets, 'latin1')
    } else {
      exchange.fail(objection)
      void this.destroy()
    }
  }

  /** Why the request is not sent. An exchange that has failed meanwhile has ended the connection. */
  #objection(exchange: Http1Exchange, request: HttpRequest): Error | null {
    if (this.#socket.destroyed) {
      return new ConnectionLost('The connection is closed', { cause: this.#socket.errored })
    }
    if (!isSendable(request)) return new TypeError('The request has characters that HTTP does not allow')
    if (this.#source.isQuiet) return null
    return this.isReused ? new ConnectionLost('Octets came before the request') : exchange.receivedBeforeRequest()
  }

  /** Prepares undici to parse the answer to a request that has been sent. Calls `ready`, or fails the exchange. */
  async parseBy(exchange: Http1Exchange, ready: () => void): Promise<void> {
    const { UndiciClient } = await import('./undici-client.ts').catch((cause) => {
      throw notLoaded('http', cause)
    })
    this.#onParserReady = ready
    // undici expects an answer only when it has returned from this call.
    this.#parser ??= new UndiciClient(this.#socket, this.maxReply, () => queueMicrotask(this.#onParserReady))
    this.#parser.expect(exchange)
  }

  /** Makes undici parse these octets. Returns false if undici reads no more from this connection. */
  parse(octets: Buffer): boolean {
    return this.#parser?.parse(octets) ?? false
  }

  /** Tells undici that the peer has ended the connection. undici tells the exchange what that means. */
  ended(): void {
    this.#parser?.end(this.#source.failure)
  }

  /**
   * Ends the exchange. The connection stays open for so many milliseconds. Octets that come from now on end it
   * (threats.md case 39: a response that is queued on an idle connection).
   */
  free(idle: number): void {
    if (this.#socket.destroyed) return void this.destroy()
    this.#exchange = undefined
    this.#isResting = true
    setImmediate(() => {
      this.#isResting = false
    })
    this.#socket.unref()
    this.#socket.setTimeout(idle)
    this.#source.rest()
    this.#source.watch(() => void this.destroy())
    if (!this.#socket.destroyed) this.onFree()
  }

  onceClosed(listener: () => void): void {
    if (this.#socket.closed) listener()
    else this.#socket.once('close', listener)
  }

  async destroy(): Promise<void> {
    this.#socket.destroy()
    this.#exchange?.fail(new ConnectionLost('The connection is closed', { cause: this.#socket.errored }))
    // undici reports this to the exchange.
    await this.#parser?.destroy()
  }
}

/** The error of a retrieval that must end. */
function endOf(deadline: Deadline): Error | null {
  try {
    deadline.look()
  } catch (error) {
    return error as Error
  }
  return null
}
