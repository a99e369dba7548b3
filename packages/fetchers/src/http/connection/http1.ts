import type { Socket } from 'node:net'
import type { Dispatcher } from 'undici'
import Client from 'undici/lib/dispatcher/client.js'
import type { ProxyServer } from '../../plugin/network.ts'
import type { SocketReader } from '../../wire/transport/socket-reader.ts'
import { ConnectionLost, type Exchange, type HttpConnection } from './connection.ts'
import { FedSocket } from './fed-socket.ts'
import { makingRequest } from './forward.ts'
import { Http1Exchange } from './http1-exchange.ts'

/** undici's own, for the connections that it does not know to be idle. */
const keepAliveMilliseconds = 4000

/** One TCP or TLS connection with undici's HTTP/1.1 on it (RFC 9112), one exchange at a time. */
export class Http1Connection implements HttpConnection {
  readonly proxy: ProxyServer | null
  readonly peerAddress: string | undefined
  readonly isShared = false
  isReused = false
  /** Called when it can serve again. */
  onFree: () => void = () => {}
  readonly #socket: Socket
  readonly #source: SocketReader
  /** Octets of a header section. */
  readonly maxReply: number
  #exchange: Http1Exchange | undefined
  #wasUsed = false
  #fed: FedSocket
  #client: Dispatcher

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
    this.#fed = this.#makeFed()
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
    makingRequest(request.path, (path) => this.#client.dispatch({ ...request, path }, exchange))
    return exchange
  }

  /** Has undici parse what came. False: it is done with the connection. */
  parse(octets: Buffer): boolean {
    return this.#fed.feed(octets)
  }

  /** The peer has ended it; undici is told, and tells the exchange what that means. */
  ended(): void {
    this.#fed.end(this.#source.failure)
  }

  /** The exchange is over. Octets that come now are no answer to anything: the connection is of no use then (security.md case 39). */
  free(): void {
    if (this.#socket.destroyed || this.#fed.destroyed) return void this.destroy()
    this.#exchange = undefined
    this.#source.watch(() => void this.destroy())
    if (!this.#socket.destroyed) this.onFree()
  }

  /** The exchange has read the rest of its body past undici, which for the next one begins anew. */
  freePast(): void {
    this.#fed.detach()
    void this.#client.destroy()
    this.#fed = this.#makeFed()
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

  #makeFed(): FedSocket {
    return new FedSocket(this.#socket, () => {
      if (this.#source.isQuiet) return this.#exchange?.sent() ?? null
      if (this.isReused) return new ConnectionLost('Octets came before the request')
      return this.#exchange?.forestalled() ?? null
    })
  }

  #makeClient(): Dispatcher {
    // The origin is a stand-in: the connection is made already, and Host is given with each request.
    return new Client('http://localhost', {
      connect: (_options, callback) => {
        const fed = this.#fed
        // Not at once: undici does not expect the answer while it is still asking. It asks again when the connection is gone, and after an
        // error of its own, in microtasks that let nothing else run: there is no other.
        queueMicrotask(() => {
          if (fed.destroyed || this.#socket.destroyed) {
            callback(new ConnectionLost('The connection is closed', { cause: this.#socket.errored }), null)
          } else callback(null, fed as unknown as Socket)
        })
      },
      maxHeaderSize: this.maxReply,
      // The deadline's timers alone count.
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: keepAliveMilliseconds,
    })
  }
}
