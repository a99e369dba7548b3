import type { OnReadOpts, Socket } from 'node:net'
import type { Phase } from '@retriever/core'
import type { RetrievalContext } from '../fetcher.ts'
import { receiveError } from './socket-error.ts'

/** What one read(2) may bring. Beyond this the rate does not grow (pnpm bench ftp gigabyte), and two of them lie in a core's cache. */
const slotSize = 256 * 1024

interface Slot {
  readonly memory: Buffer
  state: 'free' | 'full' | 'lent'
  length: number
}

/** Memory for an intake, which may serve one connection after the other. */
export type Basin = readonly [Slot, Slot]

export function makeBasin(): Basin {
  return [makeSlot(), makeSlot()]
}

function makeSlot(): Slot {
  return { memory: Buffer.allocUnsafeSlow(slotSize), state: 'free', length: 0 }
}

/**
 * A socket's octets, read straight into memory that is used again and again: while the consumer has one slot, the socket fills
 * the other, and reads no further. A Readable would allocate for each read, which halves the rate of a large body.
 */
export class Intake {
  readonly #slots: Basin
  /** Of the slots: the one to be filled next, and the one to be given out next. */
  #filling = 0
  #giving = 0
  #socket: Socket | undefined
  #isPaused = false
  #isEnded = false
  #wake: () => void = () => {}

  constructor(slots: Basin) {
    for (const slot of slots) slot.state = 'free'
    this.#slots = slots
  }

  /** To be given to the socket when it is made. */
  get onread(): OnReadOpts {
    return {
      // Asked for after each read: where the next one goes.
      buffer: () => this.#slot(this.#filling).memory,
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
    while (this.#slot(this.#giving).state !== 'full') {
      const error = this.#socket?.errored
      // Within the phase, which decides what the error means.
      if (error) throw await context.deadline.within(phase, async () => receiveError(context, error))
      if (this.#isEnded || this.#socket?.destroyed) return null
      await context.deadline.within(phase, () => this.#change())
    }
    const slot = this.#slot(this.#giving)
    slot.state = 'lent'
    return slot.memory.subarray(0, slot.length)
  }

  #slot(index: number): Slot {
    return this.#slots[index === 0 ? 0 : 1]
  }

  #filled(length: number): boolean {
    const slot = this.#slot(this.#filling)
    slot.state = 'full'
    slot.length = length
    this.#filling = 1 - this.#filling
    this.#isPaused = this.#slot(this.#filling).state !== 'free'
    this.#wake()
    return !this.#isPaused
  }

  /** The consumer is done with what it has. */
  #release(): void {
    const slot = this.#slot(this.#giving)
    if (slot.state !== 'lent') return
    slot.state = 'free'
    this.#giving = 1 - this.#giving
    if (!this.#isPaused) return
    this.#isPaused = false
    this.#socket?.resume()
  }

  #change(): Promise<void> {
    return new Promise((resolve) => {
      this.#wake = resolve
    })
  }
}
