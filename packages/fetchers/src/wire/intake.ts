import type { OnReadOpts, Socket } from 'node:net'
import type { Phase } from '@retriever/core'
import type { RetrievalContext } from '../fetcher.ts'
import { receiveError } from './socket-error.ts'

/** What an intake may read ahead of its consumer. With less, Node's threads are waited for at each of too many writes. */
const size = 2048 * 1024
/** What a read may bring where there was no room at all before. */
const least = 256 * 1024

/** Memory for an intake, which may serve one connection after the other. */
export type Basin = Buffer

export function makeBasin(): Basin {
  return Buffer.allocUnsafeSlow(size)
}

/**
 * A socket's octets, read straight into memory that is used again and again, in a circle: while the consumer has some of it, the
 * socket fills the rest, and reads no further. A Readable would allocate for each read, which halves the rate of a large body.
 */
export class Intake {
  readonly #memory: Basin
  /** Of the oldest octet that the consumer has or is to get, and how many there are from there on. */
  #start = 0
  #used = 0
  /** Of these, what the consumer has. */
  #lent = 0
  /** What the next read may fill, behind those. */
  #room = size
  #socket: Socket | undefined
  #isPaused = false
  #isEnded = false
  #wake: () => void = () => {}

  constructor(memory: Basin) {
    this.#memory = memory
  }

  /** To be given to the socket when it is made. */
  get onread(): OnReadOpts {
    return {
      // Asked for after each read: where the next one goes.
      buffer: () => this.#memory.subarray(this.#end, this.#end + this.#room),
      callback: (length) => this.#filled(length),
    }
  }

  /** The socket that was made so. */
  attach(socket: Socket): void {
    this.#socket = socket
    for (const event of ['end', 'error', 'close'] as const) {
      socket.on(event, () => {
        this.#isEnded = true
        this.#wake()
      })
    }
  }

  /** The next octets, or null at the end. They are overwritten once the next ones are asked for. */
  async read(phase: Phase, context: RetrievalContext): Promise<Uint8Array | null> {
    this.#release()
    while (this.#used === 0) {
      const error = this.#socket?.errored
      // Within the phase, which decides what the error means.
      if (error) throw await context.deadline.within(phase, async () => receiveError(context, error))
      if (this.#isEnded || this.#socket?.destroyed) return null
      await context.deadline.within(phase, () => this.#change())
    }
    this.#lent = Math.min(this.#used, size - this.#start)
    return this.#memory.subarray(this.#start, this.#start + this.#lent)
  }

  get #end(): number {
    return (this.#start + this.#used) % size
  }

  #filled(length: number): boolean {
    this.#used += length
    const free = size - this.#used
    this.#isPaused = free === 0
    // Up to the end of the memory, or to the oldest octet; where there is no room, what the next release will free.
    this.#room = Math.min(this.#isPaused ? least : free, size - this.#end)
    this.#wake()
    return !this.#isPaused
  }

  /** The consumer is done with what it has. */
  #release(): void {
    this.#start = (this.#start + this.#lent) % size
    this.#used -= this.#lent
    this.#lent = 0
    if (!this.#isPaused || size - this.#used < this.#room) return
    this.#isPaused = false
    this.#socket?.resume()
  }

  #change(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve
    })
  }
}
