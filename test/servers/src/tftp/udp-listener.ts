import { createSocket, type RemoteInfo, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { isFailure } from '../failure.ts'
import { FaultState, type Faults } from '../faults.ts'
import { loopbackAddress, urlHost } from '../loopback.ts'
import { type RecordedRequest, recorded } from '../request.ts'
import type { ServerOptions, TestServer } from '../test-server.ts'

/** The most open transfers. If a client never ends its transfer, others push it out. */
const TRANSFERS = 64

/** A server over UDP, with the records and faults of the others. Its connections are the unfinished transfers. */
export class UdpListener implements TestServer {
  readonly protocol: string
  readonly host: string
  readonly tls: boolean = false
  readonly address: string
  readonly state: FaultState
  readonly #record: boolean
  readonly #socket: Socket
  readonly #transfers = new Set<Socket>()
  readonly #waiters = new Set<() => void>()
  #requests: RecordedRequest[] = []
  #failures: Error[] = []
  #port = 0
  #accepted = 0

  constructor(
    protocol: string,
    { host = '127.0.0.1', faults = {}, record = true }: ServerOptions,
    serve: (request: Buffer, from: RemoteInfo, server: UdpListener) => void,
  ) {
    this.protocol = protocol
    this.host = host
    this.address = loopbackAddress(host)
    this.state = new FaultState(faults)
    this.#record = record
    this.#socket = this.newSocket((octets, from) => {
      this.#accepted++
      serve(octets, from, this)
    })
  }

  async listen(port: number): Promise<this> {
    const listening = once(this.#socket, 'listening')
    this.#socket.bind({ address: this.address, port, exclusive: true })
    await listening
    this.#port = this.#socket.address().port
    return this
  }

  /** Sends from the port on which the server listens. */
  send(octets: Buffer, port: number, address: string): void {
    this.#socket.send(octets, port, address)
  }

  /** Makes a socket. A packet that cannot be answered or sent is lost, and the server goes on. */
  newSocket(take: (octets: Buffer, from: RemoteInfo) => void = () => {}): Socket {
    const socket = createSocket(this.address.includes(':') ? 'udp6' : 'udp4')
    socket.on('error', () => {})
    socket.on('message', (octets, from) => {
      try {
        take(octets, from)
      } catch (error) {
        if (this.#record && isFailure(error)) this.#failures.push(error)
      }
    })
    return socket
  }

  /** Counts a socket as an open transfer, until it is released. */
  track(socket: Socket): void {
    const [oldest] = this.#transfers
    if (oldest !== undefined && this.#transfers.size >= TRANSFERS) this.release(oldest)
    this.#transfers.add(socket)
    this.#tell()
  }

  /** Closes the socket of a transfer, only once. */
  release(socket: Socket): void {
    if (!this.#transfers.delete(socket)) return
    socket.close()
    this.#tell()
  }

  record(line: string, method: string, target: string): void {
    if (!this.#record) return
    this.#requests.push(recorded({ number: this.#accepted }, { line, method, target }))
  }

  get port(): number {
    return this.#port
  }

  get url(): string {
    return `${this.protocol}://${urlHost(this.host)}:${this.#port}/`
  }

  get received(): readonly string[] {
    return this.#requests.map(({ line }) => line)
  }

  get requests(): readonly RecordedRequest[] {
    return this.#requests
  }

  get failures(): readonly Error[] {
    return this.#failures
  }

  get connections(): number {
    return this.#transfers.size
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

  reset(): void {
    this.#requests = []
    this.#failures = []
    this.#accepted = 0
    this.state.reset()
  }

  async waitForConnections(count: number): Promise<void> {
    while (this.#transfers.size !== count) await new Promise<void>((resolve) => this.#waiters.add(resolve))
  }

  async close(): Promise<void> {
    for (const socket of this.#transfers) this.release(socket)
    await new Promise<void>((resolve) => {
      this.#socket.close(() => resolve())
    }).catch(() => {})
  }

  [Symbol.asyncDispose](): Promise<void> {
    return this.close()
  }

  #tell(): void {
    for (const resolve of this.#waiters) resolve()
    this.#waiters.clear()
  }
}
