import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { Connection, newTlsContext } from './connection.ts'
import { isFailure } from './failure.ts'
import { FaultState, type Faults } from './faults.ts'
import { checkPort, loopbackAddress, urlHost } from './loopback.ts'
import type { RecordedRequest } from './request.ts'
import type { ServerOptions, TestServer } from './test-server.ts'

export interface Protocol {
  readonly name: string
  readonly scheme: string
  /** True if the protocol always uses TLS, so that its scheme gets no further `s`. */
  readonly alwaysTls?: boolean
  /** True if no connection can resume the TLS session of another. */
  readonly ownTlsContexts?: boolean
  /** The protocols that TLS offers (RFC 7301). */
  readonly alpn?: readonly string[] | undefined
  /** Serves one connection from its first octet to its last. The connection is ended when this settles. */
  serve(connection: Connection, listener: Listener): Promise<void>
}

interface Waiter {
  readonly count: number
  readonly resolve: () => void
  readonly reject: (error: Error) => void
}

/** The common base of all listeners: what the protocols share. */
export class Listener implements TestServer {
  readonly protocol: string
  readonly host: string
  readonly tls: boolean
  readonly state: FaultState
  readonly address: string
  readonly #scheme: string
  readonly #alwaysTls: boolean
  readonly #record: boolean
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  readonly #waiters = new Set<Waiter>()
  #received: string[] = []
  #requests: RecordedRequest[] = []
  #failures: Error[] = []
  #port = 0
  #accepted = 0
  #number = 0
  #closing: Promise<void> | undefined

  constructor(protocol: Protocol, options: ServerOptions) {
    this.protocol = protocol.name
    this.#scheme = protocol.scheme
    this.host = options.host ?? '127.0.0.1'
    this.address = loopbackAddress(this.host)
    this.#alwaysTls = protocol.alwaysTls ?? false
    this.tls = this.#alwaysTls || (options.tls ?? false)
    this.#record = options.record ?? true
    this.state = new FaultState(options.faults ?? {})
    // A client may half-close after its request, and still gets the answer.
    this.#server = createServer({ allowHalfOpen: true }, (socket) => this.#accept(protocol, socket))
  }

  listen(port: number): Promise<this> {
    checkPort(port)
    return new Promise((resolve, reject) => {
      // Later errors, such as too many open files, concern only one connection, which did not come about.
      this.#server.on('error', reject)
      this.#server.listen({ host: this.address, port }, () => {
        this.#port = (this.#server.address() as AddressInfo).port
        resolve(this)
      })
    })
  }

  get port(): number {
    return this.#port
  }

  get url(): string {
    return `${this.#scheme}${this.tls && !this.#alwaysTls ? 's' : ''}://${urlHost(this.host)}:${this.#port}/`
  }

  get connections(): number {
    return this.#sockets.size
  }

  get accepted(): number {
    return this.#accepted
  }

  get faults(): Faults {
    return this.state.current
  }

  setFaults(faults: Faults): void {
    this.state.set(faults)
  }

  get received(): readonly string[] {
    return this.#received
  }

  get requests(): readonly RecordedRequest[] {
    return this.#requests
  }

  get failures(): readonly Error[] {
    return this.#failures
  }

  /**
   * Ends a connection whose handler failed. Neither octets of a client nor a bug may end anything else. It is no
   * failure if the client left.
   */
  drop(connection: Connection, error: unknown): void {
    connection.destroy()
    if (this.#record && isFailure(error)) this.#failures.push(error)
  }

  record(request: RecordedRequest): void {
    if (!this.#record) return
    this.#received.push(request.line)
    this.#requests.push(request)
  }

  reset(): void {
    this.#received = []
    this.#requests = []
    this.#failures = []
    this.#accepted = 0
    this.state.reset()
  }

  waitForConnections(count: number): Promise<void> {
    if (this.#sockets.size === count) return Promise.resolve()
    return new Promise((resolve, reject) => {
      this.#waiters.add({ count, resolve, reject })
    })
  }

  /** Counts a socket as this server's; close() destroys it. */
  track(socket: Socket): void {
    this.#sockets.add(socket)
    this.#tellWaiters()
    socket.once('close', () => {
      this.#sockets.delete(socket)
      this.#tellWaiters()
    })
    if (this.#closing) socket.destroy()
  }

  close(): Promise<void> {
    this.#closing ??= new Promise((resolve) => {
      this.#server.close(() => {
        for (const waiter of this.#waiters) waiter.reject(new Error(`${this.protocol} server closed`))
        resolve()
      })
      for (const socket of this.#sockets) socket.destroy()
    })
    return this.#closing
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  #accept(protocol: Protocol, socket: Socket): void {
    this.#accepted++
    this.#number++
    this.track(socket)
    if (this.faults.stall === 'tls' && this.tls) {
      socket.on('error', () => {})
      socket.resume()
      socket.once('end', () => socket.end())
      return
    }
    const tlsContext = protocol.ownTlsContexts ? newTlsContext() : undefined
    const connection = new Connection(socket, this.state, this.tls, {
      tlsContext,
      number: this.#number,
      alpn: protocol.alpn,
    })
    protocol.serve(connection, this).then(
      () => void connection.end(),
      (error: unknown) => this.drop(connection, error),
    )
  }

  #tellWaiters(): void {
    for (const waiter of this.#waiters) {
      if (waiter.count !== this.#sockets.size) continue
      this.#waiters.delete(waiter)
      waiter.resolve()
    }
  }
}
