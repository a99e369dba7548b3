import { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'
import type { Dispatcher } from 'undici'
import Client, { type ClientSocket } from 'undici/lib/dispatcher/client.js'
import type { HttpRequest } from '../request.ts'
import { ConnectionLost } from './connection.ts'

/** undici's default, set here for the connections that undici does not know to be idle, too. */
export const keepAliveMilliseconds = 4000

/**
 * undici's HTTP/1.1 client on a connection that is already open. It writes each request, and parses only the octets
 * that it is fed.
 */
export class UndiciClient {
  readonly #fed: FedSocket
  readonly #client: Dispatcher

  /** `beforeWrite` may return an error: then the connection is destroyed instead of writing a request. */
  constructor(socket: Socket, maxHeaderSize: number, beforeWrite: () => Error | null) {
    const fed = new FedSocket(socket, beforeWrite)
    this.#fed = fed
    // The origin is a placeholder: the connection is already open, and each request has a Host field.
    this.#client = new Client('http://localhost', {
      // This answers later, as undici does not expect the answer while it is still asking. undici asks again when the
      // connection is gone, and after an error of its own, in microtasks that let nothing else run: then it gets an
      // error.
      connect: (_options, callback) =>
        queueMicrotask(() => {
          if (!fed.destroyed && !socket.destroyed) callback(null, fed)
          else callback(new ConnectionLost('The connection is closed', { cause: socket.errored }), null)
        }),
      maxHeaderSize,
      // The deadline of the retrieval has its own timers.
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: keepAliveMilliseconds,
    })
  }

  get isDestroyed(): boolean {
    return this.#fed.destroyed
  }

  /**
   * Sends a request: undici checks it, and its octets are written in place of those that undici makes of it. undici
   * accepts targets in absolute form only of http and https, so another one (an ftp URL that a proxy is asked for) goes
   * through it behind a slash.
   */
  dispatch({ options, octets }: Pick<HttpRequest, 'options' | 'octets'>, handler: Dispatcher.DispatchHandler): void {
    const isAccepted = /^(?:\/|https?:)/.test(options.path)
    this.#fed.request = octets
    this.#client.dispatch(isAccepted ? options : { ...options, path: `/${options.path}` }, handler)
  }

  /** Parses these octets before it returns. False: undici reads no more. */
  parse(octets: Buffer): boolean {
    return this.#fed.feed(octets)
  }

  /** Says that no more octets will come: the peer has ended the connection, by this error or in order. */
  end(error: Error | null): void {
    this.#fed.end(error)
  }

  /** Ends the client alone: the connection stays open for another one. */
  detach(): void {
    this.#fed.detach()
    void this.#client.destroy()
  }

  /** Ends the connection; undici reports that to the handler of a request under way. */
  async destroy(): Promise<void> {
    await this.#client.destroy()
  }
}

/**
 * The socket that undici's client gets. Writes reach the real socket; undici reads only the octets that it is fed, when
 * a consumer asks for them. So nothing is read ahead of the consumer, the octets may lie in memory that is used again,
 * and the parser is never paused: where a connection ends in such a pause, the whole process ends by a failed assertion
 * (nodejs/undici#5360; the line that mends it does not run on Node 20).
 */
class FedSocket extends EventEmitter implements ClientSocket {
  readonly #socket: Socket
  readonly #beforeWrite: () => Error | null
  #octets: Buffer | null = null
  #isDetached = false
  /** The octets of the request that undici is about to write. */
  request = ''
  destroyed = false
  errored: Error | null = null

  constructor(socket: Socket, beforeWrite: () => Error | null) {
    super()
    this.#socket = socket
    this.#beforeWrite = beforeWrite
  }

  feed(octets: Buffer): boolean {
    this.#octets = octets
    this.emit('readable')
    const isRead = this.#octets === null
    this.#octets = null
    return isRead
  }

  end(error: Error | null): void {
    if (error !== null) this.destroy(error)
    else if (!this.destroyed) this.emit('end')
  }

  /** Detaches this socket: from now on nothing reaches the real one. */
  detach(): void {
    this.#isDetached = true
  }

  read(): Buffer | null {
    const octets = this.#octets
    this.#octets = null
    return octets
  }

  /** Writes the request; undici calls this once for each, with the request in its own words. */
  write(_octets: string, encoding: BufferEncoding): boolean {
    const objection = this.#isDetached ? null : this.#beforeWrite()
    if (objection !== null) this.destroy(objection)
    if (this.destroyed || this.#isDetached) return true
    return this.#socket.write(this.request, encoding)
  }

  pipe(): void {}

  get writableNeedDrain(): boolean {
    return this.#socket.writableNeedDrain
  }

  ref(): this {
    if (!this.#isDetached) this.#socket.ref()
    return this
  }

  unref(): this {
    if (!this.#isDetached) this.#socket.unref()
    return this
  }

  /** Emits its events later, as a socket does. */
  destroy(error?: Error | null): this {
    if (this.destroyed) return this
    this.destroyed = true
    this.errored = error ?? null
    if (!this.#isDetached) this.#socket.destroy()
    process.nextTick(() => {
      if (this.errored !== null) this.emit('error', this.errored)
      this.emit('close')
    })
    return this
  }
}
