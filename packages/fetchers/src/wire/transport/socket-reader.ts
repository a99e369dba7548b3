import type { Readable } from 'node:stream'
import { isCut, provesEnd } from './tls-end.ts'

/**
 * The octets of a connection, below a ByteSource. The consumer first takes octets that have arrived without a promise,
 * and waits only if there are none. It serves one consumer at a time.
 */
export interface SocketReader {
  /**
   * Takes the octets that have arrived, valid until the next call. Null at the end, also of a broken connection.
   * Undefined if none have arrived: then await `arrival`.
   */
  take(): Buffer | null | undefined
  /** Settles when there may be octets to take. */
  arrival(): Promise<void>
  /** The error that broke the connection. Null: there was none. */
  readonly failure: Error | null
  /** Whether `isCut` can tell if octets are missing at the end. */
  readonly provesEnd: boolean
  /** True if TLS ended without close_notify, so that octets may be missing. */
  readonly isCut: boolean
  /** True if there is nothing to take: no octets and no end. */
  readonly isQuiet: boolean
  /**
   * Calls the listener when octets or the end have arrived, at once if they have already. The next `arrival` removes
   * the listener.
   */
  watch(listener: () => void): void
  /** Announces a large body, which is faster with more memory. */
  grow(): void
  /** Frees memory, since the connection will lie idle. */
  rest(): void
}

/** Reads a socket or stream as a Node stream: TLS on an open socket, a connection through a proxy, HTTP/2. */
export class StreamReader implements SocketReader {
  readonly #socket: Readable
  #wake: () => void = () => {}

  constructor(socket: Readable) {
    this.#socket = socket
    for (const event of ['readable', 'end', 'error', 'close'] as const) socket.on(event, () => this.#wake())
  }

  take(): Buffer | null | undefined {
    const chunk = this.#socket.read() as Buffer | null
    if (chunk !== null) return chunk
    return this.#socket.readableEnded || this.#socket.destroyed ? null : undefined
  }

  arrival(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve
    })
  }

  get failure(): Error | null {
    return this.#socket.errored
  }

  get provesEnd(): boolean {
    return provesEnd(this.#socket)
  }

  get isCut(): boolean {
    return isCut(this.#socket)
  }

  get isQuiet(): boolean {
    const { readableLength, readableEnded, destroyed } = this.#socket
    return readableLength === 0 && !readableEnded && !destroyed
  }

  watch(listener: () => void): void {
    this.#wake = () => {
      // A stream that is no socket of Node tells its end only to a read.
      if (this.isQuiet) this.#socket.read(0)
      else listener()
    }
    this.#wake()
  }

  grow(): void {}

  rest(): void {}
}
