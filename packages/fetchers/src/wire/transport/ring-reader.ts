import type { OnReadOpts, Socket } from 'node:net'
import type { Phase } from '@retriever/core'
import type { RetrievalContext } from '../../plugin/fetcher.ts'
import type { ByteSource } from './byte-source.ts'
import { receiveError } from './socket-error.ts'

/**
 * What an ringReader may read ahead of its consumer. With less, Node's threads are waited for at each of too many
 * writes.
 */
const large = 2048 * 1024
/** Enough for what is no large body. */
const small = 64 * 1024
/** What a read may bring where there was no room at all before: an eighth of the memory. */
const leastShare = 8

/** Memory for an ringReader, which may serve one connection after the other. */
export type RingMemory = Buffer

export function makeRingMemory(): RingMemory {
  return Buffer.allocUnsafeSlow(large)
}

/**
 * A socket's octets, read straight into memory that is used again and again, in a circle: while the consumer has some
 * of it, the socket fills the rest, and reads no further. A Readable would allocate for each read, which halves the
 * rate of a large body.
 */
export class RingReader implements ByteSource {
  #memory: RingMemory
  /** Of the oldest octet that the consumer has or is to get, and how many there are from there on. */
  #start = 0
  #used = 0
  /** Of these, what the consumer has. */
  #lent = 0
  /** What the next read may fill, behind those. */
  #room: number
  #socket: Socket | undefined
  #isPaused = false
  #isEnded = false
  #wake: () => void = () => {}

  /** Without memory of the caller's it begins with little, and takes more by `grow`. */
  constructor(memory: RingMemory = Buffer.allocUnsafeSlow(small)) {
    this.#memory = memory
    this.#room = memory.length
  }

  /** To be given to the socket when it is made. */
  get onread(): OnReadOpts {
    return {
      // Asked for after each read: where the next one goes.
      buffer: () => this.#memory.subarray(this.#end, this.#end + this.#room),
      callback: (length, memory) => this.#filled(length, memory),
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
    while (true) {
      const octets = this.take()
      if (octets !== undefined && octets !== null) return octets
      const error = this.#socket?.errored
      // Within the phase, which decides what the error means.
      if (error) throw await context.deadline.within(phase, async () => receiveError(context, error))
      if (octets === null) return null
      await context.deadline.within(phase, () => this.arrival())
    }
  }

  take(): Buffer | null | undefined {
    this.#release()
    if (this.#used === 0) return this.#isEnded || this.#socket?.destroyed ? null : undefined
    this.#lent = Math.min(this.#used, this.#memory.length - this.#start)
    return this.#memory.subarray(this.#start, this.#start + this.#lent)
  }

  arrival(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve
    })
  }

  get failure(): Error | null {
    return this.#socket?.errored ?? null
  }

  get isQuiet(): boolean {
    return this.#used === this.#lent && !this.#isEnded
  }

  watch(listener: () => void): void {
    this.#wake = listener
    if (!this.isQuiet) listener()
  }

  /** Takes as much memory as a large body can use. Whoever has octets must be done with them. */
  grow(): void {
    if (this.#memory.length >= large) return
    this.#release()
    const before = this.#memory
    this.#memory = makeRingMemory()
    const first = before.subarray(this.#start, this.#start + this.#used)
    first.copy(this.#memory)
    before.copy(this.#memory, first.length, 0, this.#used - first.length)
    this.#start = 0
    this.#room = large - this.#used
    this.#resume()
  }

  get #end(): number {
    return (this.#start + this.#used) % this.#memory.length
  }

  #filled(length: number, memory: Uint8Array): boolean {
    // The first read after growing still goes where the socket was told before.
    if (memory.buffer !== this.#memory.buffer) this.#memory.set(memory.subarray(0, length), this.#end)
    const size = this.#memory.length
    this.#used += length
    const free = size - this.#used
    this.#isPaused = free === 0
    // Up to the end of the memory, or to the oldest octet; where there is no room, what the next release will free.
    this.#room = Math.min(this.#isPaused ? size / leastShare : free, size - this.#end)
    this.#wake()
    return !this.#isPaused
  }

  /** The consumer is done with what it has. */
  #release(): void {
    if (this.#lent === 0) return
    this.#start = (this.#start + this.#lent) % this.#memory.length
    this.#used -= this.#lent
    this.#lent = 0
    this.#resume()
  }

  #resume(): void {
    if (!this.#isPaused || this.#memory.length - this.#used < this.#room) return
    this.#isPaused = false
    this.#socket?.resume()
  }
}
