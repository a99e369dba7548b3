import { createSocket, type Socket } from 'node:dgram'
import { once } from 'node:events'

/** How the packets of one direction fare, in their order. */
export type Fate = 'arrives' | 'is lost' | 'is doubled'

/** Stands between a client and a server on loopback, and lets packets be lost or doubled. */
export class Relay implements AsyncDisposable {
  readonly #front: Socket
  readonly #back: Socket
  /** The packets that client and server have sent, before any is lost or doubled. */
  readonly sent = { client: 0, server: 0 }

  private constructor(front: Socket, back: Socket, server: number, fateOf: () => Fate) {
    this.#front = front
    this.#back = back
    let client = 0
    const pass = (send: () => void): void => {
      const fate = fateOf()
      if (fate !== 'is lost') send()
      if (fate === 'is doubled') send()
    }
    front.on('message', (octets, { port }) => {
      client = port
      this.sent.client++
      pass(() => back.send(octets, server, '127.0.0.1'))
    })
    back.on('message', (octets) => {
      this.sent.server++
      pass(() => front.send(octets, client, '127.0.0.1'))
    })
  }

  /** `server`: the port of the server. */
  static async start(server: number, fateOf: () => Fate): Promise<Relay> {
    const sockets = [createSocket('udp4'), createSocket('udp4')] as const
    for (const socket of sockets) {
      socket.bind({ address: '127.0.0.1', port: 0 })
      await once(socket, 'listening')
    }
    return new Relay(...sockets, server, fateOf)
  }

  get url(): string {
    return `prospero://127.0.0.1:${this.#front.address().port}/`
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of [this.#front, this.#back]) {
      const closed = once(socket, 'close')
      socket.close()
      await closed
    }
  }
}
