import type { Socket } from 'node:net'
import type { HttpPlan } from '@retriever/core'
import type { buildConnector, Client as ClientType, Dispatcher } from 'undici'
import Client from 'undici/lib/dispatcher/client.js'
import type { ProxyServer, RetrievalContext } from '../fetcher.ts'
import { openProxySocket, openSocket } from '../wire/socket.ts'
import { forwarder, makingRequest } from './forward.ts'

/** Enough of an answer to show what it was if it was no HTTP, and to read `HTTP/1.1` from. */
const shownOctets = 80

/** Opens a connection under the deadline; once open, it belongs to whoever holds it, not to the retrieval. */
export async function openHttpConnection(context: RetrievalContext, plan: HttpPlan): Promise<HttpConnection> {
  const { signal } = context.deadline
  const lifetime = new AbortController()
  const abort = (): void => lifetime.abort()
  signal.addEventListener('abort', abort, { once: true })
  try {
    const proxy = forwarder(plan, context)
    const socket = await (proxy === null
      ? openSocket(context, plan, lifetime.signal)
      : openProxySocket(context, proxy, lifetime.signal))
    return new HttpConnection(socket, context.limits.maxReply, proxy)
  } finally {
    signal.removeEventListener('abort', abort)
  }
}

/**
 * One TCP or TLS connection with undici's HTTP/1.1 on it, one exchange at a time. It lives on between retrievals, so the abort
 * of a retrieval reaches it only from `hold` to `letGo`.
 *
 * Backpressure is made at the socket: undici is given octets only while somebody wants them. Its own way, the paused parser,
 * ends the whole process by a failed assertion where the connection ends in the pause (nodejs/undici#5360; the line that does
 * not mend that is the last one for Node 20).
 */
export class HttpConnection {
  /** True for an exchange that is not its first: the server may have closed it while it lay idle. */
  reused = false
  /** At its other end, where it is no server. */
  readonly proxy: ProxyServer | null
  readonly #socket: Socket
  readonly #client: ClientType
  #flowing = true
  #first: Buffer = Buffer.alloc(0)
  #letGo: () => void = () => {}

  constructor(socket: Socket, maxReply: number, proxy: ProxyServer | null) {
    this.#socket = socket
    this.proxy = proxy
    this.#gate(socket)
    // The origin is a stand-in: the connection is made already, and Host is given with each request.
    this.#client = new Client('http://localhost', {
      connect: handOver(socket),
      maxHeaderSize: Math.max(1, Math.min(Math.trunc(maxReply), Number.MAX_SAFE_INTEGER)),
      // The deadline's timers alone count.
      headersTimeout: 0,
      bodyTimeout: 0,
    })
  }

  /** undici reads by `socket.read()` whenever the socket is readable; while nobody wants octets it finds none. */
  #gate(socket: Socket): void {
    const read = socket.read.bind(socket)
    socket.read = (size?: number): Buffer | null => {
      // read(0) is Node's own and fills the socket's buffer, no further than its mark.
      if (size === 0) return read(0) as null
      if (!this.#flowing) return null
      const chunk = (size === undefined ? read() : read(size)) as Buffer | null
      if (chunk !== null && this.#first.length < shownOctets) {
        this.#first = Buffer.concat([this.#first, chunk.subarray(0, shownOctets - this.#first.length)])
      }
      return chunk
    }
  }

  /** The first octets of the answer, one a character. */
  get firstOctets(): string {
    return this.#first.toString('latin1')
  }

  get destroyed(): boolean {
    return this.#socket.destroyed
  }

  /** What broke it: undici takes a reset for a regular end where the answer has no length. */
  get failure(): Error | null {
    return this.#socket.errored
  }

  /** From now on the signal's abort destroys the connection. */
  hold(signal: AbortSignal): void {
    const abort = (): void => void this.destroy()
    if (signal.aborted) abort()
    signal.addEventListener('abort', abort, { once: true })
    this.#letGo = () => signal.removeEventListener('abort', abort)
  }

  letGo(): void {
    this.#letGo()
    this.flow()
  }

  send(request: Dispatcher.DispatchOptions, handler: Dispatcher.DispatchHandler): void {
    this.#first = Buffer.alloc(0)
    makingRequest(request.path, (path) => this.#client.dispatch({ ...request, path }, handler))
  }

  /** Gives undici what has come and what comes. */
  flow(): void {
    if (this.#flowing) return
    this.#flowing = true
    this.#socket.emit('readable')
  }

  /** Keeps back all further octets, until `flow`. */
  stem(): void {
    this.#flowing = false
  }

  onceClosed(listener: () => void): void {
    if (this.#socket.closed) listener()
    else this.#socket.once('close', listener)
  }

  /** Ends the connection at once. Settles when it is closed. */
  async destroy(): Promise<void> {
    this.#letGo()
    // Through undici, which then knows why; a bare socket.destroy() it would take for the end of an answer without a length.
    await this.#client.destroy()
    this.#socket.destroy()
  }
}

/** The connection was lost, by its cause, before the request went out. */
export class ConnectionLost extends Error {}

/**
 * undici's connect function for a socket that is there already. It is asked again when that is gone; there is no other. After an error
 * of its own, as where octets came before the request, undici would ask for ever, in microtasks that let nothing else run.
 */
function handOver(socket: Socket): buildConnector.connector {
  return (_options, callback) => {
    // Not at once: undici does not expect the answer while it is still asking.
    queueMicrotask(() => {
      if (socket.destroyed) callback(new ConnectionLost('The connection is closed', { cause: socket.errored }), null)
      else callback(null, socket)
    })
  }
}
