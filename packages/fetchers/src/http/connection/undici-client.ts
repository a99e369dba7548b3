import { EventEmitter } from 'node:events'
import type { Socket } from 'node:net'

/**
 * What undici's client takes for its socket: what it writes goes out on the real one, and it reads what it is fed, when somebody wants it.
 * So nothing is read ahead of the consumer, the octets may lie in memory that is used again, and the parser is never paused: where
 * the connection ends in such a pause, the whole process ends by a failed assertion (nodejs/undici#5360; the line that mends it
 * does not run on Node 20).
 */
export class FedSocket extends EventEmitter {
  readonly #socket: Socket
  readonly #beforeWrite: () => Error | null
  #octets: Buffer | null = null
  #isDetached = false
  destroyed = false
  errored: Error | null = null

  /** `beforeWrite` may have an objection: then the connection is destroyed in place of writing. */
  constructor(socket: Socket, beforeWrite: () => Error | null) {
    super()
    this.#socket = socket
    this.#beforeWrite = beforeWrite
  }

  /** Has them parsed, before it returns. False: nobody reads any more. */
  feed(octets: Buffer): boolean {
    this.#octets = octets
    this.emit('readable')
    const isRead = this.#octets === null
    this.#octets = null
    return isRead
  }

  /** No more will be fed: the peer has ended the connection, by this error or in order. */
  end(error: Error | null): void {
    if (error !== null) this.destroy(error)
    else if (!this.destroyed) this.emit('end')
  }

  /** From now on nothing reaches the real socket. */
  detach(): void {
    this.#isDetached = true
  }

  read(): Buffer | null {
    const octets = this.#octets
    this.#octets = null
    return octets
  }

  write(octets: string, encoding: BufferEncoding): boolean {
    const objection = this.#isDetached ? null : this.#beforeWrite()
    if (objection !== null) this.destroy(objection)
    return this.destroyed || this.#isDetached || this.#socket.write(octets, encoding)
  }

  /** By having one, undici knows what it may destroy. Nobody calls it. */
  pipe(): void {}

  cork(): void {}

  uncork(): void {}

  get writableNeedDrain(): boolean {
    return this.#socket.writableNeedDrain
  }

  ref(): this {
    if (!this.#isDetached) this.#socket.ref()
    return this
  }

  unref(): this {
    if (!this.#isDetached) this.#socket.unref()
    return this
  }

  /** As a socket's: the events come later. */
  destroy(error?: Error | null): this {
    if (this.destroyed) return this
    this.destroyed = true
    this.errored = error ?? null
    if (!this.#isDetached) this.#socket.destroy()
    process.nextTick(() => {
      if (this.errored !== null) this.emit('error', this.errored)
      this.emit('close')
    })
    return this
  }
}
