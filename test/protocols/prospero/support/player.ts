import { createSocket, type RemoteInfo, type Socket } from 'node:dgram'
import { once } from 'node:events'
import { type Datagram, numberOf, throughOf } from './recording.ts'

/** Plays the server's side of a conversation over UDP, and notes whatever the client sends otherwise. */
export class DatagramPlayer {
  readonly #socket: Socket
  readonly #left: Datagram[]
  readonly mismatches: string[] = []

  private constructor(socket: Socket, datagrams: readonly Datagram[]) {
    this.#socket = socket
    this.#left = [...datagrams]
    socket.on('message', (octets, from) => this.#take(octets, from))
  }

  static async start(datagrams: readonly Datagram[]): Promise<DatagramPlayer> {
    const socket = createSocket('udp4')
    socket.bind({ address: '127.0.0.1', port: 0 })
    await once(socket, 'listening')
    return new DatagramPlayer(socket, datagrams)
  }

  get port(): number {
    return this.#socket.address().port
  }

  /** The datagrams of the recorded client that have not come. */
  get missing(): readonly Buffer[] {
    return this.#left.filter(({ from }) => from === 'C').map(({ octets }) => octets)
  }

  #take(octets: Buffer, from: RemoteInfo): void {
    const wanted = this.#left.shift()
    if (wanted === undefined || !wanted.octets.equals(octets)) {
      const recorded = wanted?.octets.toString('latin1') ?? 'nothing'
      this.mismatches.push(
        `${JSON.stringify(octets.toString('latin1'))} where the recording has ${JSON.stringify(recorded)}`,
      )
      return
    }
    const next = this.#left.findIndex(({ from: side }) => side === 'C')
    const answers = this.#left.splice(0, next === -1 ? this.#left.length : next)
    const lost = this.#lostBefore(this.#left[0]?.octets, answers)
    for (const answer of answers) if (!lost(answer)) this.#socket.send(answer.octets, from.port, from.address)
  }

  /**
   * The recorded client acted as if packets were lost: it sent its request again, or acknowledged less than had come.
   * So these packets are lost here, too.
   */
  #lostBefore(next: Buffer | undefined, answers: readonly Datagram[]): (answer: Datagram) => boolean {
    if (next === undefined) return () => false
    if (numberOf(next) > 0) return () => true
    const through = throughOf(next)
    const isWhole = answers.some(({ octets }) => numberOf(octets) === through)
    return ({ octets }) => isWhole && numberOf(octets) > through
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#socket, 'close')
    this.#socket.close()
    await closed
  }
}
