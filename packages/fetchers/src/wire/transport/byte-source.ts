import type { Readable } from 'node:stream'

/** What comes in on a connection, pulled by one consumer at a time. */
export interface ByteSource {
  /**
   * What has come; null at the end, in whatever way that came; undefined: await `arrival`. It is lent until the next is
   * taken.
   */
  take(): Buffer | null | undefined
  /** Settles when there may be something to take. */
  arrival(): Promise<void>
  /** What broke it, in place of an end in order; null: nothing. */
  readonly failure: Error | null
  /** Nothing has come that was not taken, not even the end. */
  readonly isQuiet: boolean
  /**
   * While nobody takes anything: calls the listener when something comes, or has come, the end included. The next
   * `arrival` ends it.
   */
  watch(listener: () => void): void
  /** A large body comes, through whatever can make use of knowing. */
  grow(): void
}

/** Of what is read as a stream: TLS, a connection through a proxy, HTTP/2. */
export class SocketSource implements ByteSource {
  readonly #socket: Readable
  #wake: () => void = () => {}

  constructor(socket: Readable) {
    this.#socket = socket
    for (const event of ['readable', 'end', 'error', 'close'] as const) socket.on(event, () => this.wake())
  }

  /** Something may have changed for whoever waits. */
  protected wake(): void {
    this.#wake()
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

  get isQuiet(): boolean {
    const { readableLength, readableEnded, destroyed } = this.#socket
    return readableLength === 0 && !readableEnded && !destroyed
  }

  watch(listener: () => void): void {
    this.#wake = () => {
      if (!this.isQuiet) listener()
    }
    this.#wake()
  }

  grow(): void {}
}
