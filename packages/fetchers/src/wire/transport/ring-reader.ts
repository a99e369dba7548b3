import type { OnReadOpts, Socket } from 'node:net'
import type { Phase } from '@retriever/core'
import type { RetrievalContext } from '../../contract/fetcher.ts'
import { receiveError } from './socket-error.ts'
import type { SocketReader } from './socket-reader.ts'
import { isCut, provesEnd } from './tls-end.ts'

/**
 * How many octets a RingReader may read ahead of its consumer. With fewer, a large body waits too often for Node's
 * threads.
 */
const large = 2048 * 1024
/** Enough for everything but a large body. */
const small = 64 * 1024
/**
 * Sockets without memory of their own read into this. The system fills it and Node calls `onread` in one turn, so all
 * of them can share it: an idle connection then takes no memory, and a short answer only its own length.
 */
const shared = Buffer.allocUnsafeSlow(small)
const none = Buffer.alloc(0)
/** If the memory was full, the next read may fill an eighth of it. */
const leastShare = 8
/**
 * How many octets TLS may still deliver after `onread` has asked for none: what Node has read from the system, up to 64
 * KiB, and the record of up to 16 KiB whose first part came before.
 */
const tlsOverrun = 128 * 1024

/** The memory of a RingReader. Several connections may use it, one after the other. */
export type RingMemory = Buffer

export function makeRingMemory(): RingMemory {
  return Buffer.allocUnsafeSlow(large)
}

/**
 * Reads a socket into a ring of memory. While the consumer uses some of it, the socket fills the rest, and then pauses.
 * A Readable would allocate memory for each read, which halves the speed of a large body.
 */
export class RingReader implements SocketReader {
  /** A ring, or only the octets of the last read. */
  #memory: RingMemory
  #isRing: boolean
  /** Where the oldest octet lies that is in use or not taken yet, and how many octets follow from there. */
  #start = 0
  #used = 0
  /** How many of these octets the consumer has. */
  #handedOut = 0
  /** How many octets after those the socket's next read may fill. */
  #room: number
  /** How many octets stay free when the socket pauses. */
  readonly #reserve: number
  #socket: Socket | undefined
  #isPaused = false
  #isEnded = false
  #wake: () => void = () => {}

  /** Without `memory` it takes as much as it needs, and `grow` takes more. */
  constructor({ isSecure = false, memory = none }: { readonly isSecure?: boolean; readonly memory?: RingMemory } = {}) {
    this.#reserve = isSecure ? tlsOverrun : 0
    this.#memory = memory
    this.#isRing = memory.length > 0
    this.#room = memory.length
  }

  /** The option to give to the socket's constructor. */
  get onread(): OnReadOpts {
    return {
      // Node calls this after each read to get the memory of the next one.
      buffer: () => (this.#isRing ? this.#memory.subarray(this.#end, this.#end + this.#room) : shared),
      callback: (length, memory) => this.#filled(length, memory),
    }
  }

  /** Attaches the socket, which was made with `onread`. */
  attach(socket: Socket): void {
    this.#socket = socket
    for (const event of ['end', 'error', 'close'] as const) {
      socket.on(event, () => {
        this.#isEnded = true
        this.#wake()
      })
    }
  }

  /** Reads the next octets; null at the end. The read after it overwrites them. */
  async read(phase: Phase, context: RetrievalContext): Promise<Uint8Array | null> {
    while (true) {
      const octets = this.take()
      if (octets !== undefined && octets !== null) return octets
      const error = this.#socket?.errored
      // The deadline's phase decides what the error means, so it is thrown within the phase.
      if (error) throw await context.deadline.within(phase, async () => receiveError(context, error))
      if (octets === null) return null
      await context.deadline.within(phase, () => this.arrival())
    }
  }

  take(): Buffer | null | undefined {
    this.#release()
    if (this.#used === 0) return this.#isEnded || this.#socket?.destroyed ? null : undefined
    this.#handedOut = Math.min(this.#used, this.#memory.length - this.#start)
    return this.#memory.subarray(this.#start, this.#start + this.#handedOut)
  }

  arrival(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve
    })
  }

  get provesEnd(): boolean {
    return this.#socket !== undefined && provesEnd(this.#socket)
  }

  get isCut(): boolean {
    return this.#socket !== undefined && isCut(this.#socket)
  }

  get failure(): Error | null {
    return this.#socket?.errored ?? null
  }

  get isQuiet(): boolean {
    return this.#used === this.#handedOut && !this.#isEnded
  }

  watch(listener: () => void): void {
    this.#wake = listener
    if (!this.isQuiet) listener()
  }

  /** Takes as much memory as a large body can use. The consumer must no longer use its chunk. */
  grow(): void {
    if (this.#memory.length >= large) return
    this.#release()
    this.#move(makeRingMemory())
    if (this.#isPaused && this.#makeRoom()) this.#socket?.resume()
  }

  rest(): void {
    this.#release()
    if (this.#used > 0) return
    this.#memory = none
    this.#isRing = false
    this.#start = 0
  }

  /** Gives the octets that have arrived back to the socket, which another reader takes over. */
  giveBack(): void {
    const pieces: Buffer[] = []
    for (let octets = this.take(); octets; octets = this.take()) pieces.push(Buffer.from(octets))
    if (pieces.length > 0) this.#socket?.unshift(Buffer.concat(pieces))
  }

  get #end(): number {
    return (this.#start + this.#used) % this.#memory.length
  }

  #filled(length: number, memory: Uint8Array): boolean {
    if (!this.#isRing) this.#keep(memory.subarray(0, length))
    // The first read after growing still fills the old memory.
    else if (memory.buffer !== this.#memory.buffer) this.#memory.set(memory.subarray(0, length), this.#end)
    this.#used += length
    // TLS delivered more than Node 20 to 24 do. A read without room would go on for ever.
    if (this.#reserve > 0 && this.#used === this.#memory.length && this.#isRing)
      this.#move(Buffer.allocUnsafeSlow(2 * this.#used))
    const hasRoom = this.#makeRoom()
    this.#wake()
    return hasRoom
  }

  /** Copies the octets, which stand in memory that others use. If earlier ones wait, it becomes a ring with both. */
  #keep(octets: Uint8Array): void {
    const waiting = this.#memory.subarray(this.#start + this.#handedOut, this.#start + this.#used)
    // The consumer may still use its chunk, which keeps its memory.
    this.#isRing = waiting.length > 0
    // A read may have had the room of a large ring, which the connection had before it rested.
    const least = Math.max(2 * small, waiting.length + octets.length) + this.#reserve
    this.#memory = this.#isRing ? Buffer.allocUnsafeSlow(least) : Buffer.allocUnsafe(octets.length)
    this.#memory.set(waiting)
    this.#memory.set(octets, waiting.length)
    this.#start = 0
    this.#used = waiting.length
    this.#handedOut = 0
  }

  /** Moves all octets to the beginning of a larger ring. */
  #move(memory: RingMemory): void {
    const before = this.#memory
    const first = before.subarray(this.#start, this.#start + this.#used)
    first.copy(memory)
    before.copy(memory, first.length, 0, this.#used - first.length)
    this.#memory = memory
    this.#isRing = true
    this.#start = 0
    this.#room = memory.length - this.#used
  }

  /** Chooses the place of the next read. Returns false if there is none yet. */
  #makeRoom(): boolean {
    if (!this.#isRing) return true
    const size = this.#memory.length
    const free = size - this.#used
    this.#isPaused = free <= this.#reserve
    // The room ends at the end of the memory or at the oldest octet. If nothing is free, it is the part that later
    // releases will free.
    this.#room = Math.min(free === 0 ? size / leastShare : free, size - this.#end)
    return !this.#isPaused
  }

  /** Frees the chunk that the consumer no longer uses. */
  #release(): void {
    if (this.#handedOut === 0) return
    this.#start = (this.#start + this.#handedOut) % this.#memory.length
    this.#used -= this.#handedOut
    this.#handedOut = 0
    this.#resume()
  }

  #resume(): void {
    if (!this.#isPaused || this.#memory.length - this.#used < this.#reserve + this.#room) return
    this.#isPaused = false
    this.#socket?.resume()
  }
}
