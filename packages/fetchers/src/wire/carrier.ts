import type { Socket } from 'node:net'
import { Duplex } from 'node:stream'
import { SocketInflow } from './inflow.ts'

/**
 * What stands between TLS and its TCP connection, and keeps the end of that to itself: what TLS ends with then is the other side's
 * close_notify (RFC 8446 6.1) alone. Node by itself tells an end that anybody on the way can forge from that in no way.
 */
export class Carrier extends Duplex {
  readonly #socket: Socket
  /** The other side has ended TCP, or it was lost: no more will come. */
  isOver = false

  constructor(socket: Socket) {
    super({ allowHalfOpen: true })
    this.#socket = socket
    socket.on('data', (octets) => {
      if (!this.push(octets)) socket.pause()
    })
    for (const event of ['end', 'error', 'close'] as const) {
      socket.once(event, () => {
        this.isOver = true
        this.emit('over')
      })
    }
  }

  override _read(): void {
    this.#socket.resume()
  }

  override _write(octets: Buffer, encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.#socket.write(octets, encoding, done)
  }

  override _final(done: () => void): void {
    this.#socket.end(done)
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#socket.destroy()
    done(error)
  }
}

/** TCP ended, and TLS had not been closed: the other side, or anybody else, may have cut off what was to come. */
export class TlsCut extends Error {}

/** What comes in by TLS over a carrier. Its end is an error unless close_notify came before. */
export class ProvenInflow extends SocketInflow {
  readonly #socket: Socket
  readonly #carrier: Carrier
  #isCut = false

  constructor(socket: Socket, carrier: Carrier) {
    super(socket)
    this.#socket = socket
    this.#carrier = carrier
    carrier.once('over', () => this.#settle(3))
  }

  override get failure(): Error | null {
    return this.#isCut ? new TlsCut('TLS was not closed') : super.failure
  }

  override get isQuiet(): boolean {
    return super.isQuiet && !this.#carrier.isOver
  }

  override take(): Buffer | null | undefined {
    const octets = super.take()
    return octets === undefined && this.#isCut ? null : octets
  }

  override arrival(): Promise<void> {
    return this.#isCut ? Promise.resolve() : super.arrival()
  }

  /** Once nothing has been on its way through TLS for so many turns of the event loop, what has not ended was cut. */
  #settle(turns: number): void {
    const { readableLength, readableEnded, destroyed } = this.#socket
    if (readableEnded || destroyed) return
    if (turns === 0) {
      this.#isCut = true
      this.wake()
      return
    }
    const isUnderWay = readableLength > 0 || this.#carrier.readableLength > 0
    setImmediate(() => this.#settle(isUnderWay ? 3 : turns - 1))
  }
}
