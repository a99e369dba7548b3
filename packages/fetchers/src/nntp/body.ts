import { RetrievalError } from '@retriever/core'
import type { OneBody } from '../wire/resuming-body.ts'
import type { Ahead, PendingCommand } from './connection/command-queue.ts'
import type { Dialogue } from './connection/exchange.ts'

/** Octets of one body that may wait in memory. */
const maxAhead = 65_536

/**
 * The octets of a multi-line block (RFC 3977 3.1.1), pulled one chunk at a time; read ahead, up to a limit, where other
 * retrievals wait for the session. It ends after the line with a dot, and frees its session for others; given up
 * before, the rest is read away there, or the session is closed. A chunk is the consumer's own.
 */
export class BlockBody implements OneBody, Ahead {
  readonly #dialogue: Dialogue
  readonly #slot: PendingCommand
  readonly #unlink: () => void
  /** Read ahead of the consumer, the oldest first. */
  readonly #chunks: Uint8Array[] = []
  #length = 0
  /** Reading ahead, as far as the chunk that is under way. */
  #reading: Promise<void> | null = null
  #failure: { readonly error: unknown } | null = null
  /** The consumer reads: nothing else may. */
  #isWanted = false
  /** The session is no longer used. */
  #isReleased = false
  #isOver = false
  isBroken = false

  constructor(dialogue: Dialogue, slot: PendingCommand) {
    this.#dialogue = dialogue
    this.#slot = slot
    // The retrieval may end while its body is not read.
    this.#unlink = dialogue.context.deadline.onAbort(() => this.#giveUp())
    dialogue.session.hold(slot, this)
  }

  [Symbol.asyncIterator](): this {
    return this
  }

  async next(): Promise<IteratorResult<Uint8Array, undefined>> {
    this.#isWanted = true
    await this.#reading
    try {
      const octets = this.#isOver ? null : await this.#nextChunk()
      if (octets !== null) return { done: false, value: octets }
      this.#isOver = true
      return { done: true, value: undefined }
    } finally {
      this.#isWanted = false
      if (this.#dialogue.session.isWantedByOthers) this.readAhead()
    }
  }

  async return(): Promise<IteratorResult<Uint8Array, undefined>> {
    this.#giveUp()
    return { done: true, value: undefined }
  }

  readAhead(): void {
    if (this.#isWanted || this.#isReleased || this.#reading !== null) return
    this.#reading = this.#fill().finally(() => {
      this.#reading = null
    })
  }

  async #fill(): Promise<void> {
    try {
      while (!this.#isWanted && !this.#isReleased && this.#length < maxAhead) {
        const octets = await this.#pull()
        if (octets === null) return
        this.#chunks.push(octets)
        this.#length += octets.length
      }
    } catch (error) {
      // The consumer gets it behind the octets that came before.
      this.#failure = { error }
    }
  }

  async #nextChunk(): Promise<Uint8Array | null> {
    const ahead = this.#chunks.shift()
    if (ahead !== undefined) {
      this.#length -= ahead.length
      this.#dialogue.session.noteRead()
      return ahead
    }
    if (this.#failure !== null) throw this.#failure.error
    return this.#isReleased ? null : this.#pull()
  }

  /** The next octets out of the session; null at the end, when it is free for others. */
  async #pull(): Promise<Uint8Array | null> {
    const { session, context } = this.#dialogue
    try {
      const octets = await session.next(this.#slot, context)
      if (octets !== null) return octets
    } catch (error) {
      this.isBroken = RetrievalError.is(error) && error.code === 'partial' && context.deadline.reason === null
      this.#release()
      throw error
    }
    session.end(this.#slot)
    this.#release()
    return null
  }

  #giveUp(): void {
    this.#isOver = true
    this.#release()
  }

  /** The next retrieval reads away the rest of the answer, if there is any. */
  #release(): void {
    if (this.#isReleased) return
    this.#isReleased = true
    this.#dialogue.session.abandon(this.#slot)
    this.#unlink()
    this.#dialogue.done()
  }
}

/** A body of which the consumer has the first octets already. */
export function without(octets: number, body: BlockBody): OneBody {
  let left = octets
  const rest: OneBody = {
    get isBroken() {
      return body.isBroken
    },
    [Symbol.asyncIterator]: () => rest,
    async next() {
      while (true) {
        const result = await body.next()
        if (result.done === true) return result
        const chunk = result.value.subarray(left)
        left -= result.value.length - chunk.length
        if (chunk.length > 0) return { done: false, value: chunk }
      }
    },
    return: () => body.return(),
  }
  return rest
}
