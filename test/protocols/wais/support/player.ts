import { once } from 'node:events'
import { type AddressInfo, createServer, type Server, type Socket } from 'node:net'
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Exchange } from './recording.ts'

/** How the answers are cut: each in one piece, or octet by octet. */
export type Mode = 'whole' | 'bytes'

/** A server on loopback that answers the next request as it was recorded, and notes the octets that it is sent. */
export class WaisPlayer implements AsyncDisposable {
  readonly #server: Server = createServer({ noDelay: true })
  readonly #sockets = new Set<Socket>()
  readonly #mode: Mode
  readonly #left: Exchange[]
  /** The requests that came, each a packet. */
  readonly received: string[] = []

  private constructor(exchanges: readonly Exchange[], mode: Mode) {
    this.#mode = mode
    this.#left = [...exchanges]
    this.#server.on('connection', (socket) => {
      this.#sockets.add(socket)
      socket.on('error', () => {})
      this.#serve(socket).catch(() => socket.destroy())
    })
  }

  static async start(exchanges: readonly Exchange[], mode: Mode): Promise<WaisPlayer> {
    const player = new WaisPlayer(exchanges, mode)
    player.#server.listen(0, '127.0.0.1')
    await once(player.#server, 'listening')
    return player
  }

  get port(): number {
    return (this.#server.address() as AddressInfo).port
  }

  async #serve(socket: Socket): Promise<void> {
    let held = ''
    for await (const chunk of socket.setEncoding('latin1') as AsyncIterable<string>) {
      held += chunk
      const size = 25 + Number(held.slice(0, 10))
      if (held.length < 25 || held.length < size) continue
      // Two requests at once end the connection, as the real server does it.
      if (held.length > size) return void socket.destroy()
      this.received.push(held)
      held = ''
      const answer = this.#left.shift()?.answer ?? null
      if (answer === null) return void socket.end()
      await this.#send(socket, Buffer.from(answer, 'latin1'))
    }
  }

  async #send(socket: Socket, octets: Buffer): Promise<void> {
    if (this.#mode === 'whole') return void socket.write(octets)
    for (const octet of octets) {
      if (socket.destroyed) return
      socket.write(Buffer.from([octet]))
      await nextTurn()
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    await new Promise((closed) => this.#server.close(closed))
  }
}
