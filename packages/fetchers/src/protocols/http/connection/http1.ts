import type { Socket } from 'node:net'
import type { ProxyServer } from '../../../contract/network.ts'
import type { SocketReader } from '../../../wire/transport/socket-reader.ts'
import type { HttpRequest } from '../request.ts'
import { ConnectionLost, type Exchange, type HttpConnection } from './connection.ts'
import { Http1Exchange } from './http1-exchange.ts'
import { keepAliveMilliseconds, UndiciClient } from './undici-client.ts'

/** One TCP or TLS connection with undici's HTTP/1.1 (RFC 9112). It carries one exchange at a time. */
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
  #client: UndiciClient

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
    this.#client = this.#makeClient()
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

  begin(request: HttpRequest): Exchange {
    this.isReused = this.#wasUsed
    this.#wasUsed = true
    this.#socket.ref()
    this.#socket.setTimeout(0)
    const exchange = new Http1Exchange(this, this.#source, request.options.method)
    this.#exchange = exchange
    this.#client.dispatch(request, exchange)
    return exchange
  }

  /** Makes undici parse these octets. Returns false if undici reads no more from this connection. */
  parse(octets: Buffer): boolean {
    return this.#client.parse(octets)
  }

  /** Tells undici that the peer has ended the connection. undici tells the exchange what that means. */
  ended(): void {
    this.#client.end(this.#source.failure)
  }

  /**
   * Ends the exchange. Octets that come from now on end the connection (threats.md case 39: a response that is queued
   * on an idle connection).
   */
  free(): void {
    if (this.#socket.destroyed || this.#client.isDestroyed) return void this.destroy()
    this.#exchange = undefined
    this.#source.watch(() => void this.destroy())
    if (!this.#socket.destroyed) this.onFree()
  }

  /** Ends an exchange if undici has not seen the end of its body. The next exchange needs a new client. */
  freeWithNewClient(): void {
    this.#client.detach()
    this.#client = this.#makeClient()
    this.#socket.unref()
    this.#socket.setTimeout(keepAliveMilliseconds)
    this.free()
  }

  onceClosed(listener: () => void): void {
    if (this.#socket.closed) listener()
    else this.#socket.once('close', listener)
  }

  async destroy(): Promise<void> {
    // undici reports this to the exchange.
    await this.#client.destroy()
    this.#socket.destroy()
  }

  #makeClient(): UndiciClient {
    return new UndiciClient(this.#socket, this.maxReply, () => {
      if (this.#source.isQuiet) return this.#exchange?.requestSent() ?? null
      if (this.isReused) return new ConnectionLost('Octets came before the request')
      return this.#exchange?.receivedBeforeRequest() ?? null
    })
  }
}
