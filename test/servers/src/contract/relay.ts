import { createSocket, type Socket as UdpSocket } from 'node:dgram'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { connect as connectTls, createServer as createTlsServer, type TLSSocket } from 'node:tls'
import { testCertificate, testKey } from '../certificate.ts'
import type { TestServer } from '../test-server.ts'

/** Stands between a client and a server, passes everything on, and keeps the octets that the client sends. */
export class Relay implements AsyncDisposable {
  readonly #target: TestServer
  readonly #server: Server
  readonly #udp: UdpSocket
  readonly #sockets = new Set<Socket>()
  /** The sockets towards the server, one for each address of a client. */
  readonly #flows = new Map<number, UdpSocket>()
  readonly #chunks: Buffer[] = []

  private constructor(target: TestServer) {
    this.#target = target
    const accept = (socket: Socket | TLSSocket): void => this.#accept(socket)
    this.#server = target.tls ? createTlsServer({ cert: testCertificate, key: testKey }, accept) : createServer(accept)
    this.#udp = createSocket('udp4')
  }

  static async before(target: TestServer): Promise<Relay> {
    while (true) {
      const relay = new Relay(target)
      try {
        await relay.#listen()
        return relay
      } catch (error) {
        await relay[Symbol.asyncDispose]()
        // Another program may have the port that TCP gave for UDP.
        if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
      }
    }
  }

  /** Listens at a port of TCP and at the same one of UDP. */
  async #listen(): Promise<void> {
    this.#server.listen(0, '127.0.0.1')
    await once(this.#server, 'listening')
    this.#udp.on('message', (message, { port }) => this.#flow(port).send(message, this.#target.port, '127.0.0.1'))
    this.#udp.on('message', (message) => this.#chunks.push(message))
    this.#udp.bind(this.port, '127.0.0.1')
    await once(this.#udp, 'listening')
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  /** What the client has sent so far, without TLS around it, one char an octet. */
  get octets(): string {
    return Buffer.concat(this.#chunks).toString('latin1')
  }

  /** A URL of the server, changed so that it leads to the relay. */
  urlOf(url: string): string {
    return url.replace(`:${this.#target.port}`, `:${this.port}`)
  }

  /** Resolves when the client has closed its connections and everything that it sent has come. */
  async ended(): Promise<void> {
    await Promise.all([...this.#sockets].map((socket) => new Promise((resolve) => socket.once('close', resolve))))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    for (const socket of [this.#udp, ...this.#flows.values()]) socket.close()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  #accept(client: Socket | TLSSocket): void {
    const { port, host } = this.#target
    const options = { port, host: host === 'localhost' ? '127.0.0.1' : host }
    const server = this.#target.tls ? connectTls({ ...options, rejectUnauthorized: false }) : connect(options)
    client.on('data', (chunk) => this.#chunks.push(chunk))
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      this.#sockets.add(from)
      from.on('error', () => {})
      from.once('close', () => {
        this.#sockets.delete(from)
        to.end()
        // Reads the rest to its end, so that this side closes as well.
        to.resume()
      })
      from.pipe(to)
    }
  }

  /** The socket for one client. A TFTP server answers from a new port, so each client needs its own socket here. */
  #flow(client: number): UdpSocket {
    const known = this.#flows.get(client)
    if (known !== undefined) return known
    const flow = createSocket('udp4')
    this.#flows.set(client, flow)
    flow.on('message', (message, { port }) => {
      if (port === this.#target.port) this.#udp.send(message, client, '127.0.0.1')
      else this.#answer(client, port, flow, message)
    })
    return flow
  }

  #answer(client: number, server: number, flow: UdpSocket, message: Buffer): void {
    const key = -server
    let back = this.#flows.get(key)
    if (back === undefined) {
      back = createSocket('udp4')
      this.#flows.set(key, back)
      back.on('message', (octets) => {
        this.#chunks.push(octets)
        flow.send(octets, server, '127.0.0.1')
      })
    }
    back.send(message, client, '127.0.0.1')
  }
}
