import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { Connection, newTlsContext } from './connection.ts'
import { FaultState, type Faults } from './faults.ts'
import { checkPort, loopbackAddress, urlHost } from './loopback.ts'

/** Options of every server. */
export interface ServerOptions {
  /** Loopback only: 127.0.0.0/8, ::1 or localhost. Default 127.0.0.1. */
  readonly host?: string
  /** Default 0: a free port. */
  readonly port?: number
  /** TLS from the first byte, with a certificate signed by `testCa`. Default false. */
  readonly tls?: boolean
  readonly faults?: Faults
}

/** A running server. */
export interface TestServer {
  readonly protocol: string
  readonly host: string
  readonly port: number
  /** The root, with a slash at its end: `ftp://127.0.0.1:40123/`. */
  readonly url: string
  readonly tls: boolean
  /** Every command or request line, in order, without its line end, one char an octet. */
  readonly received: readonly string[]
  /** Sockets open now, FTP data connections included: lets a test see that an abort closed them. */
  readonly connections: number
  /** Connections accepted so far, FTP data connections not included. */
  readonly accepted: number
  readonly faults: Faults
  /** Replaces all faults, for what happens from now on. */
  setFaults(faults: Faults): void
  /** Settles when exactly `count` sockets are open. */
  waitForConnections(count: number): Promise<void>
  /** Destroys open sockets and stops. */
  close(): Promise<void>
  [Symbol.asyncDispose](): Promise<void>
}

export interface Protocol {
  readonly name: string
  readonly scheme: string
  /** Each connection resumes no TLS session of another. */
  readonly ownTlsContexts?: boolean
  /** One connection, from its first byte to its last. It is ended when this settles. */
  serve(connection: Connection, listener: Listener): Promise<void>
}

interface Waiter {
  readonly count: number
  readonly resolve: () => void
  readonly reject: (error: Error) => void
}

/** The one listener base: what the five protocols share. */
export class Listener implements TestServer {
  readonly protocol: string
  readonly host: string
  readonly tls: boolean
  readonly received: string[] = []
  readonly state: FaultState
  readonly address: string
  readonly #scheme: string
  readonly #server: Server
  readonly #sockets = new Set<Socket>()
  readonly #waiters = new Set<Waiter>()
  #port = 0
  #accepted = 0
  #closing: Promise<void> | undefined

  constructor(protocol: Protocol, options: ServerOptions) {
    this.protocol = protocol.name
    this.#scheme = protocol.scheme
    this.host = options.host ?? '127.0.0.1'
    this.address = loopbackAddress(this.host)
    this.tls = options.tls ?? false
    this.state = new FaultState(options.faults ?? {})
    // A client may half-close after its request; the answer still goes out.
    this.#server = createServer({ allowHalfOpen: true }, (socket) => this.#accept(protocol, socket))
  }

  listen(port: number): Promise<this> {
    checkPort(port)
    return new Promise((resolve, reject) => {
      this.#server.once('error', reject)
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
    return `${this.#scheme}${this.tls ? 's' : ''}://${urlHost(this.host)}:${this.#port}/`
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

  waitForConnections(count: number): Promise<void> {
    if (this.#sockets.size === count) return Promise.resolve()
    return new Promise((resolve, reject) => {
      this.#waiters.add({ count, resolve, reject })
    })
  }

  /** Counts a socket as this server's and destroys it at close(). */
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
    this.track(socket)
    if (this.faults.stall === 'tls' && this.tls) {
      socket.on('error', () => {})
      socket.resume()
      socket.once('end', () => socket.end())
      return
    }
    const tlsContext = protocol.ownTlsContexts ? newTlsContext() : undefined
    const connection = new Connection(socket, this.state, this.tls, tlsContext)
    protocol.serve(connection, this).then(
      () => void connection.end(),
      (error: unknown) => dropConnection(connection, error),
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

/** Ends a connection that failed. A client that left is no news; any other error is a bug of ours and must be seen. */
export function dropConnection(connection: Connection, error: unknown): void {
  connection.destroy()
  if (!(error instanceof Error && 'code' in error)) throw error
}
