import { RetrievalError } from '@retriever/core'
import type { ByteSource } from '../../contract/byte-source.ts'
import type { Breakable } from '../../wire/resuming-source.ts'
import type { PendingCommand, ReadAhead } from './connection/command-queue.ts'
import type { NntpLease } from './connection/exchange.ts'
import { unreadLimit } from './connection/session.ts'

/** How many octets of one body are read ahead of its consumer. */
const maxAhead = 65_536

/** After this many milliseconds without a read, a body counts as unread. At most half of limits.unreadTimeout. */
const patience = 1000

/**
 * The octets of a multi-line block (RFC 3977 3.1.1). While other retrievals wait for the session, it reads them ahead,
 * up to a limit. The line with a dot ends the block, and its session is then free for others. If the block is cancelled
 * earlier, the session reads and discards the rest or is closed.
 */
export class BlockBody implements ByteSource, Breakable, ReadAhead {
  readonly #lease: NntpLease
  readonly #pending: PendingCommand
  #unlink: () => void = () => {}
  /** Octets that were read ahead of the consumer. The oldest are first. */
  readonly #chunks: Uint8Array[] = []
  #length = 0
  /** Settles when reading ahead pauses or ends. Null: nothing is read ahead. */
  #reading: Promise<void> | null = null
  #failure: { readonly error: unknown } | null = null
  /** True while the consumer reads, so that reading ahead must wait. */
  #isWanted = false
  #isTold = false
  #unreadTimer: NodeJS.Timeout | undefined
  /** True after the session is no longer used. */
  #isReleased = false
  #isOver = false
  isBroken = false

  constructor(lease: NntpLease, pending: PendingCommand) {
    this.#lease = lease
    this.#pending = pending
    // The retrieval may end while its consumer does not read.
    this.#unlink = lease.context.deadline.onAbort(() => this.#giveUp())
    lease.session.hold(pending, this)
  }

  async read(): Promise<Uint8Array | null> {
    this.#isWanted = true
    clearTimeout(this.#unreadTimer)
    await this.#reading
    try {
      const octets = this.#isOver ? null : await this.#nextChunk()
      this.#isOver ||= octets === null
      return octets
    } finally {
      this.#isWanted = false
      if (this.#lease.session.isWantedByOthers) this.readAhead()
    }
  }

  async cancel(): Promise<void> {
    this.#giveUp()
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
      if (!this.#isWanted && !this.#isReleased) this.#tellUnread()
    } catch (error) {
      // The consumer first gets the octets that came before the error.
      this.#failure = { error }
    }
  }

  /** Says once that others wait for a body that does not fit into memory, unless somebody reads it soon. */
  #tellUnread(): void {
    if (this.#isTold) return
    const { url, limits, emit, hasListener } = this.#lease.context
    if (hasListener === false) return
    const timeout = unreadLimit(limits)
    clearTimeout(this.#unreadTimer)
    const tell = (): void => {
      this.#isTold = true
      emit({ type: 'unread', url, timeout })
    }
    this.#unreadTimer = setTimeout(tell, Math.min(patience, timeout / 2)).unref()
  }

  async #nextChunk(): Promise<Uint8Array | null> {
    const ahead = this.#chunks.shift()
    if (ahead !== undefined) {
      this.#length -= ahead.length
      this.#lease.session.noteRead()
      return ahead
    }
    if (this.#failure !== null) throw this.#failure.error
    return this.#isReleased ? null : this.#pull()
  }

  /** Reads the next octets from the session. Null at the end, which frees the session for others. */
  async #pull(): Promise<Uint8Array | null> {
    const { session, context } = this.#lease
    try {
      const octets = await session.next(this.#pending, context)
      if (octets !== null) return octets
    } catch (error) {
      this.isBroken = RetrievalError.is(error) && error.code === 'partial' && context.deadline.reason === null
      this.#release()
      throw error
    }
    session.end(this.#pending)
    this.#release()
    return null
  }

  #giveUp(): void {
    this.#isOver = true
    this.#release()
  }

  /** Releases the session. If some of the block is left, the session's next retrieval reads and discards it. */
  #release(): void {
    if (this.#isReleased) return
    this.#isReleased = true
    clearTimeout(this.#unreadTimer)
    this.#lease.session.abandon(this.#pending)
    this.#unlink()
    this.#lease.giveBack()
  }
}
