import type { RetrievalContext } from '../../contract/fetcher.ts'
import type { Connection } from '../transport/connection.ts'
import type { ReusableSession } from './session-pool.ts'
import { type UnreadBody, UnreadWatch } from './unread-watch.ts'

/** The commands and answers of one connection, for one retrieval after the other. */
export interface Dialogue {
  readonly connection: Connection
  /** True: no answer is awaited, and no octets have come that nobody has read. */
  readonly isIdle: boolean
  /** Another retrieval uses the connection from now on. */
  attach(context: RetrievalContext): void
  /** Says that the connection ends. The answer is not awaited. Absent: the end says so. */
  farewell?(): Promise<void>
}

/** A session that serves one retrieval at a time, by commands and answers. */
export class DialogueSession<D extends Dialogue> implements ReusableSession, UnreadBody {
  readonly dialogue: D
  served = 0
  readonly unreadWatch: UnreadWatch = new UnreadWatch(this)
  /** The body that is being received. */
  body: UnreadBody | null = null
  #context: RetrievalContext

  constructor(dialogue: D, context: RetrievalContext) {
    this.dialogue = dialogue
    this.#context = context
  }

  get isUsable(): boolean {
    return this.dialogue.isIdle
  }

  get isLost(): boolean {
    return !this.dialogue.connection.isOpen
  }

  get unreadSince(): number | null {
    return this.body?.unreadSince ?? null
  }

  evict(): void {
    this.body?.evict()
  }

  attach(context: RetrievalContext): void {
    this.#context = context
    this.dialogue.attach(context)
    this.dialogue.connection.keepAlive(true)
  }

  detach(): void {
    this.body = null
    this.dialogue.connection.keepAlive(false)
  }

  close(): void {
    const { dialogue } = this
    if (dialogue.isIdle) {
      // The retrieval that used the session last is over.
      dialogue.attach({ ...this.#context, emit() {} })
      dialogue.farewell?.().catch(() => {})
      dialogue.connection.end()
    } else dialogue.connection.close()
  }
}
