import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { Connection } from '../connection.ts'
import type { Listener } from '../listener.ts'

/** A client that asked for a transfer and never opens the data connection gets 425 after this long. */
const PATIENCE = 10_000

/** One passive data connection: EPSV or PASV opens the port, the next transfer uses it up. */
export class DataPort {
  readonly #control: Connection
  readonly #listener: Listener
  readonly #tls: boolean
  readonly #server: Server
  #connection: Connection | undefined
  #wake: (() => void) | undefined
  #closed = false
  #aborted = false
  #dropped = false

  constructor(control: Connection, listener: Listener, tls: boolean) {
    this.#control = control
    this.#listener = listener
    this.#tls = tls
    this.#server = createServer({ allowHalfOpen: true }, (socket) => this.#accept(socket))
  }

  get aborted(): boolean {
    return this.#aborted
  }

  /** The transfer is over, and nobody is told. */
  get dropped(): boolean {
    return this.#dropped
  }

  /** Listens and gives the port. */
  async listen(): Promise<number> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject)
      this.#server.listen({ host: this.#listener.address, port: 0 }, resolve)
    })
    const { port } = this.#server.address() as AddressInfo
    // The client may have left while the port was opening.
    if (this.#closed) this.#server.close()
    return port
  }

  /** The client's connection, or undefined if it does not come, or goes with the control connection. */
  async connected(): Promise<Connection | undefined> {
    if (!this.#connection && !this.#closed && !this.#dropped) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(resolve, PATIENCE)
        this.#wake = () => {
          clearTimeout(timer)
          resolve()
        }
      })
    }
    return this.#connection
  }

  /** ABOR: the transfer ends with 426. */
  abort(): void {
    this.#aborted = true
    this.#connection?.destroy()
  }

  /** Ends the transfer without its final reply. */
  drop(): void {
    this.#dropped = true
    this.#connection?.destroy()
    this.#wake?.()
  }

  /** Frees the port. Octets that are on their way still arrive; a transfer that has not ended is cut off. */
  close(): void {
    this.#closed = true
    this.#server.close()
    if (!this.#connection?.stream.writableEnded) this.#connection?.destroy()
    this.#wake?.()
  }

  #accept(socket: Socket): void {
    this.#listener.track(socket)
    // RFC 2577, 4: only the client of the control connection may take the data.
    if (this.#connection || socket.remoteAddress !== this.#control.raw.remoteAddress) {
      socket.destroy()
      return
    }
    this.#server.close()
    this.#connection = new Connection(socket, this.#listener.state, this.#tls, {
      tlsContext: this.#control.tlsContext,
    })
    this.#connection.stream.resume()
    this.#wake?.()
  }
}
