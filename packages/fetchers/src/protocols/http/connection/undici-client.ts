import { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'
import type { Dispatcher } from 'undici'
import Client, { type ClientSocket } from 'undici/lib/dispatcher/client.js'
import { ConnectionLost } from './connection.ts'

/** The connection has its own timer for the time in which it is idle, so undici's never ends it: the longest timer. */
const never = 2 ** 31 - 1

/**
 * undici's HTTP/1.1 client on a connection that is already open. It sends nothing, since we have written the request
 * before, and parses only the octets that we feed it.
 */
export class UndiciClient {
  readonly #fed: FedSocket
  readonly #client: Dispatcher

  /** `onWrite` is called for each request, which undici believes to write. */
  constructor(socket: Socket, maxHeaderSize: number, onWrite: () => void) {
    const fed = new FedSocket(socket, onWrite)
    this.#fed = fed
    // The origin is a placeholder: the connection is already open, and each request has a Host field.
    this.#client = new Client('http://localhost', {
      // This answers later, since undici does not expect an answer while it is still asking. After an error of its own,
      // undici asks again in microtasks, which let nothing else run. It then gets an error. The answer to the request
      // may be here, although the connection has ended.
      connect: (_options, callback) =>
        queueMicrotask(() => {
          if (!fed.destroyed) callback(null, fed)
          else callback(new ConnectionLost('The connection is closed'), null)
        }),
      maxHeaderSize,
      // The deadline of the retrieval has its own timers.
      headersTimeout: 0,
      bodyTimeout: 0,
      keepAliveTimeout: never,
      keepAliveMaxTimeout: never,
    })
  }

  /** Makes undici expect the answer to a GET. What was asked for does not matter to it. */
  expect(handler: Dispatcher.DispatchHandler): void {
    this.#client.dispatch({ method: 'GET', path: '/' }, handler)
  }

  /** Parses these octets before it returns. Returns false if undici reads no more. */
  parse(octets: Buffer): boolean {
    return this.#fed.feed(octets)
  }

  /** Says that no more octets will come: the peer has ended the connection, in order or by this error. */
  end(error: Error | null): void {
    this.#fed.end(error)
  }

  /** Ends the connection. undici reports that to the handler of a running request. */
  async destroy(): Promise<void> {
    await this.#client.destroy()
  }
}

/**
 * The socket that undici's client gets. Nothing that undici writes reaches the real socket, and undici reads only the
 * octets that we feed it when a consumer asks for them. So nothing is read ahead of the consumer, the memory of the
 * octets may be reused, and the parser is never paused: if a connection ends in such a pause, a failed assertion ends
 * the whole process (nodejs/undici#5360; its fix does not run on Node 20).
 */
class FedSocket extends EventEmitter implements ClientSocket {
  readonly #socket: Socket
  readonly #onWrite: () => void
  #octets: Buffer | null = null
  destroyed = false
  errored: Error | null = null

  constructor(socket: Socket, onWrite: () => void) {
    super()
    this.#socket = socket
    this.#onWrite = onWrite
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

  read(): Buffer | null {
    const octets = this.#octets
    this.#octets = null
    return octets
  }

  /** undici calls this once for each request, with its own octets. */
  write(): void {
    this.#onWrite()
  }

  pipe(): void {}

  /** Emits its events later, as a socket does. */
  destroy(error?: Error | null): this {
    if (this.destroyed) return this
    this.destroyed = true
    this.errored = error ?? null
    this.#socket.destroy()
    process.nextTick(() => {
      if (this.errored !== null) this.emit('error', this.errored)
      this.emit('close')
    })
    return this
  }
}
