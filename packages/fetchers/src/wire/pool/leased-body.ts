import type { ByteSource } from '../../contract/byte-source.ts'
import type { RetrievalContext } from '../../contract/fetcher.ts'
import type { Lease, ReusableSession } from './session-pool.ts'
import { type UnreadBody, unreadError } from './unread-watch.ts'

/** A session with room for one body. */
interface BodySession extends ReusableSession {
  body: UnreadBody | null
}

/**
 * A body that keeps a session for itself. It gives the session back at its end, on errors, and by cancel(). The pool
 * then closes the session unless the answer was read to its end.
 */
export class LeasedBody implements ByteSource, UnreadBody {
  readonly #octets: ByteSource
  readonly #lease: Lease<BodySession>
  readonly #context: RetrievalContext
  #forget: () => void = () => {}
  #isOver = false
  #isEvicted = false
  unreadSince: number | null = performance.now()

  constructor(octets: ByteSource, lease: Lease<BodySession>, context: RetrievalContext) {
    this.#octets = octets
    this.#lease = lease
    this.#context = context
    this.#forget = context.deadline.onAbort(() => this.#release())
    if (!this.#isOver) lease.session.body = this
  }

  async read(): Promise<Uint8Array | null> {
    this.#context.deadline.throwIfAborted()
    if (this.#isEvicted) throw unreadError(this.#context)
    if (this.#isOver) return null
    this.unreadSince = null
    let chunk: Uint8Array | null = null
    try {
      chunk = await this.#octets.read()
      return chunk
    } catch (error) {
      throw this.#isEvicted ? unreadError(this.#context) : error
    } finally {
      this.unreadSince = performance.now()
      if (chunk === null) this.#release()
    }
  }

  async cancel(): Promise<void> {
    this.#release()
  }

  evict(): void {
    this.#isEvicted = true
    this.#release()
  }

  #release(): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#forget()
    this.#lease.giveBack()
  }
}
