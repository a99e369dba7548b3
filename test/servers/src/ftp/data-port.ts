import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { Connection } from '../connection.ts'
import type { Listener } from '../listener.ts'

/** If a client asks for a transfer and does not open the data connection within this time, it gets 425. */
const PATIENCE = 10_000

/** One passive data connection. EPSV or PASV opens its port, and the next transfer uses it up. */
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

  /** Whether the transfer was ended without a final reply. */
  get dropped(): boolean {
    return this.#dropped
  }

  /** Listens and resolves to the port. */
  async listen(): Promise<number> {
    await new Promise<void>((resolve, reject) => {
      this.#server.once('error', reject)
      this.#server.listen({ host: this.#listener.address, port: 0 }, resolve)
    })
    const { port } = this.#server.address() as AddressInfo
    // The client may have left while the port was being opened.
    if (this.#closed) this.#server.close()
    return port
  }

  /** The client's connection; undefined if it does not come, or ends with the control connection. */
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

  /** ABOR ends the transfer, with 426. */
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

  /** Frees the port. Octets already sent still arrive; an unfinished transfer is cut off. */
  close(): void {
    this.#closed = true
    this.#server.close()
    if (!this.#connection?.stream.writableEnded) this.#connection?.destroy()
    this.#wake?.()
  }

  #accept(socket: Socket): void {
    this.#listener.track(socket)
    // RFC 2577, 4: only the client of the control connection may get the data.
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
