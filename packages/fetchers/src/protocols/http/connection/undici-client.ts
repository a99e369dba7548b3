import { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'
import type { Dispatcher } from 'undici'
import Client, { type ClientSocket } from 'undici/lib/dispatcher/client.js'
import type { HttpRequest } from '../request.ts'
import { ConnectionLost } from './connection.ts'

/** The connection has its own timer for the time in which it is idle, so undici's never ends it: the longest timer. */
const never = 2 ** 31 - 1

/**
 * undici's HTTP/1.1 client on a connection that is already open. It writes each request, and parses only the octets
 * that we feed it.
 */
export class UndiciClient {
  readonly #fed: FedSocket
  readonly #client: Dispatcher

  /** If `beforeWrite` returns an error, the connection is destroyed and no request is written. */
  constructor(socket: Socket, maxHeaderSize: number, beforeWrite: () => Error | null) {
    const fed = new FedSocket(socket, beforeWrite)
    this.#fed = fed
    // The origin is a placeholder: the connection is already open, and each request has a Host field.
    this.#client = new Client('http://localhost', {
      // This answers later, since undici does not expect an answer while it is still asking. If the connection is gone,
      // or after an error of its own, undici asks again in microtasks, which let nothing else run. It then gets an
      // error.
      connect: (_options, callback) =>
        queueMicrotask(() => {
          // The answer to a request that was sent may be here, although the connection has ended.
          if (!fed.destroyed && (fed.request === '' || !socket.destroyed)) callback(null, fed)
          else callback(new ConnectionLost('The connection is closed', { cause: socket.errored }), null)
        }),
      maxHeaderSize,
      // The deadline of the retrieval has its own timers.
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: never,
      keepAliveMaxTimeout: never,
    })
  }

  get isDestroyed(): boolean {
    return this.#fed.destroyed
  }

  /**
   * Sends a request. undici checks it, but we write our octets in place of undici's; "" if they were sent before.
   * undici accepts targets in absolute form only for http and https, so another target (an ftp URL that a proxy is
   * asked for) gets a slash in front for undici.
   */
  dispatch({ options, octets }: Pick<HttpRequest, 'options' | 'octets'>, handler: Dispatcher.DispatchHandler): void {
    const isAccepted = /^(?:\/|https?:)/.test(options.path)
    this.#fed.request = octets
    this.#client.dispatch(isAccepted ? options : { ...options, path: `/${options.path}` }, handler)
  }

  /** Parses these octets before it returns. Returns false if undici reads no more. */
  parse(octets: Buffer): boolean {
    return this.#fed.feed(octets)
  }

  /** Says that no more octets will come: the peer has ended the connection, in order or by this error. */
  end(error: Error | null): void {
    this.#fed.end(error)
  }

  /** Ends only the client. The connection stays open for another one. */
  detach(): void {
    this.#fed.detach()
    void this.#client.destroy()
  }

  /** Ends the connection. undici reports that to the handler of a running request. */
  async destroy(): Promise<void> {
    await this.#client.destroy()
  }
}

/**
 * The socket that undici's client gets. Writes reach the real socket, but undici reads only the octets that we feed it
 * when a consumer asks for them. So nothing is read ahead of the consumer, the memory of the octets may be reused, and
 * the parser is never paused: if a connection ends in such a pause, a failed assertion ends the whole process
 * (nodejs/undici#5360; its fix does not run on Node 20).
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

  /** Detaches this socket, so that nothing reaches the real one any more. */
  detach(): void {
    this.#isDetached = true
  }

  read(): Buffer | null {
    const octets = this.#octets
    this.#octets = null
    return octets
  }

  /** Writes our request. undici calls this once for each request, with its own octets. */
  write(_octets: string, encoding: BufferEncoding): boolean {
    const objection = this.#isDetached ? null : this.#beforeWrite()
    if (objection !== null) this.destroy(objection)
    if (this.destroyed || this.#isDetached || this.request === '') return true
    return this.#socket.write(this.request, encoding)
  }

  pipe(): void {}

  get writableNeedDrain(): boolean {
    return this.#socket.writableNeedDrain
  }

  /** Does nothing: the connection knows when it is idle, undici only when an answer that it has parsed is over. */
  ref(): this {
    return this
  }

  unref(): this {
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
