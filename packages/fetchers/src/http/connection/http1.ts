import type { Socket } from 'node:net'
import type { Dispatcher } from 'undici'
import type { ProxyServer } from '../../plugin/fetcher.ts'
import type { ByteSource } from '../../wire/transport/byte-source.ts'
import { ConnectionLost, type Exchange, type HttpConnection } from './connection.ts'
import { Http1Exchange } from './http1-exchange.ts'
import { keepAliveMilliseconds, UndiciClient } from './undici-client.ts'

/** One TCP or TLS connection with undici's HTTP/1.1 on it (RFC 9112), one exchange at a time. */
export class Http1Connection implements HttpConnection {
  readonly proxy: ProxyServer | null
  readonly peerAddress: string | undefined
  readonly isShared = false
  isReused = false
  /** Called when it can serve again. */
  onFree: () => void = () => {}
  readonly #socket: Socket
  readonly #source: ByteSource
  /** Octets of a header section. */
  readonly maxReply: number
  #exchange: Http1Exchange | undefined
  #wasUsed = false
  #client: UndiciClient

  constructor(
    socket: Socket,
    source: ByteSource,
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

  get hasRoom(): boolean {
    return this.#exchange === undefined && !this.#socket.destroyed
  }

  /** What broke it. */
  get failure(): Error | null {
    return this.#source.failure
  }

  begin(request: Dispatcher.DispatchOptions): Exchange {
    this.isReused = this.#wasUsed
    this.#wasUsed = true
    this.#socket.ref()
    this.#socket.setTimeout(0)
    const exchange = new Http1Exchange(this, this.#source, request.method)
    this.#exchange = exchange
    this.#client.dispatch(request, exchange)
    return exchange
  }

  /** Has undici parse what came. False: it is done with the connection. */
  parse(octets: Buffer): boolean {
    return this.#client.parse(octets)
  }

  /** The peer has ended it; undici is told, and tells the exchange what that means. */
  ended(): void {
    this.#client.end(this.#source.failure)
  }

  /** The exchange is over. Octets that come now are no answer to anything: the connection is of no use then (security.md case 39). */
  free(): void {
    if (this.#socket.destroyed || this.#client.isDestroyed) return void this.destroy()
    this.#exchange = undefined
    this.#source.watch(() => void this.destroy())
    if (!this.#socket.destroyed) this.onFree()
  }

  /** The exchange has read the rest of its body past undici, which for the next one begins anew. */
  freePast(): void {
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
    // Through undici, which then tells the exchange.
    await this.#client.destroy()
    this.#socket.destroy()
  }

  #makeClient(): UndiciClient {
    return new UndiciClient(this.#socket, this.maxReply, () => {
      if (this.#source.isQuiet) return this.#exchange?.sent() ?? null
      if (this.isReused) return new ConnectionLost('Octets came before the request')
      return this.#exchange?.forestalled() ?? null
    })
  }
}
