import { Duplex, type Writable } from 'node:stream'
import type { Chunking } from './faults.ts'

/** The most octets that may travel at once under latency; a sender that is further ahead waits. */
const IN_FLIGHT = 4 * 1024 * 1024

/**
 * How many turns of the event loop pass between two pieces, so that a client in this process reads one before the next
 * is written. The first piece waits longer, since the client must first learn that it is connected.
 */
const TURNS = 2
const FIRST_TURNS = 20

/** Octets that are written within so many turns of each other are glued together, up to this number. */
const GLUE_TURNS = 12
const GLUED_AT_MOST = 64 * 1024

export interface WireOptions {
  readonly up?: number | undefined
  readonly down?: number | undefined
  readonly chunking?: Chunking | undefined
}

/**
 * A stream behind a long or bad line. Latency delays octets without blocking the sender: ten pipelined commands over 50
 * ms take 50 ms, not 500.
 */
export class Wire extends Duplex {
  readonly #peer: Duplex
  readonly #down: number
  readonly #chunking: Chunking
  readonly #timers = new Set<NodeJS.Timeout>()
  readonly #glue: Buffer[] = []
  #glued = 0
  #inFlight = 0
  #sending: Promise<void> = Promise.resolve()
  #leaving: Promise<void> = Promise.resolve()
  #held: (() => void) | undefined
  #patience = FIRST_TURNS

  constructor(peer: Duplex, options: WireOptions) {
    super({ allowHalfOpen: true })
    this.#peer = peer
    this.#down = options.down ?? 0
    this.#chunking = options.chunking ?? 'whole'
    const up = options.up ?? 0
    peer.on('data', (chunk: Buffer) =>
      this.#late(up, () => {
        if (!this.push(chunk)) peer.pause()
      }),
    )
    peer.on('end', () => this.#late(up, () => this.push(null)))
    peer.on('error', (error) => this.destroy(error))
    peer.on('close', () => this.#late(up, () => this.destroy()))
  }

  /** Resolves when everything written so far has left. */
  async flown(): Promise<void> {
    if (this.destroyed) return
    await new Promise<void>((resolve) => this.#late(this.#down, () => this.#sending.then(resolve)))
    await this.#unglue()
  }

  override _read(): void {
    this.#peer.resume()
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    if (this.#down === 0) {
      this.#transmit(chunk).then(() => done(), done)
      return
    }
    this.#inFlight += chunk.length
    this.#late(this.#down, () => {
      this.#sending = this.#sending.then(() => this.#transmit(chunk)).then(() => this.#landed(chunk.length), ignore)
    })
    if (this.#inFlight < IN_FLIGHT) done()
    else this.#held = done
  }

  override _final(done: () => void): void {
    const end = (): void => {
      this.#peer.end()
      done()
    }
    this.flown().then(end, end)
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    for (const timer of this.#timers) clearTimeout(timer)
    this.#timers.clear()
    this.#peer.destroy()
    done(error)
  }

  #landed(length: number): void {
    this.#inFlight -= length
    const held = this.#held
    this.#held = undefined
    held?.()
  }

  async #transmit(chunk: Buffer): Promise<void> {
    if (this.#chunking === 'whole') return write(this.#peer, chunk)
    if (this.#chunking === 'glued' || typeof this.#chunking === 'object') return this.#hold(chunk)
    await this.#cut(chunk)
  }

  /** Holds a chunk until nothing more has been written for a while. */
  async #hold(chunk: Buffer): Promise<void> {
    this.#glue.push(chunk)
    this.#glued += chunk.length
    if (this.#glued >= GLUED_AT_MOST) return this.#unglue()
    const count = this.#glue.length
    const quiet = turns(GLUE_TURNS).then(() => (this.#glue.length === count ? this.#unglue() : undefined))
    quiet.catch(ignore)
  }

  async #unglue(): Promise<void> {
    const held = Buffer.concat(this.#glue.splice(0))
    this.#glued = 0
    // Pieces leave one after the other, since later ones may be ready before these have left.
    this.#leaving = this.#leaving.then(() => this.#cut(held))
    this.#leaving.catch(ignore)
    await this.#leaving
  }

  async #cut(chunk: Buffer): Promise<void> {
    for (const piece of pieces(chunk, this.#chunking)) {
      await turns(this.#patience)
      this.#patience = TURNS
      await write(this.#peer, piece)
    }
  }

  /** Runs an action later. Timers of equal length fire in the order of their start, so octets keep their order. */
  #late(ms: number, action: () => void): void {
    if (this.destroyed) return
    if (ms === 0) {
      action()
      return
    }
    const timer = setTimeout(() => {
      this.#timers.delete(timer)
      action()
    }, ms)
    this.#timers.add(timer)
  }
}

/** Writes, and resolves when the kernel has the octets. All bodies get their backpressure from this. */
export function write(stream: Writable, bytes: Uint8Array): Promise<void> {
  return new Promise((resolve, reject) => {
    stream.write(bytes, (error) => (error ? reject(error) : resolve()))
  })
}

/** Waits for turns of the event loop, so that a client in this process can act. */
export async function turns(count: number): Promise<void> {
  for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve))
}

function* pieces(chunk: Buffer, chunking: Chunking): Iterable<Buffer> {
  if (chunking === 'glued') return yield chunk
  if (typeof chunking === 'object') return yield* cutTo(chunk, chunking)
  let start = 0
  for (let at = 0; at < chunk.length; at++) {
    const cut = chunking === 'bytes' || chunk[at] === 0x0d
    if (!cut) continue
    yield chunk.subarray(start, at + 1)
    start = at + 1
  }
  if (start < chunk.length) yield chunk.subarray(start)
}

/** Cuts a chunk into pieces of these lengths, over and over. */
function* cutTo(chunk: Buffer, lengths: readonly number[]): Iterable<Buffer> {
  let start = 0
  for (let at = 0; start < chunk.length; at++) {
    const end = start + (lengths[at % lengths.length] ?? 1)
    yield chunk.subarray(start, end)
    start = end
  }
}

function ignore(): void {}
