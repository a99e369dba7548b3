import type { RetrievalContext } from '../../contract/fetcher.ts'
import type { Connection } from '../transport/connection.ts'
import type { ReusableSession } from './session-pool.ts'
import { type UnreadBody, UnreadWatch } from './unread-watch.ts'

/** Sends commands and reads answers on one connection, for one retrieval after the other. */
export interface Dialogue {
  readonly connection: Connection
  /** True if no answer is awaited and nobody left octets unread. */
  readonly isIdle: boolean
  /** Binds the connection to another retrieval. */
  attach(context: RetrievalContext): void
  /**
   * Tells the server that the connection ends; nobody awaits the answer. Absent if closing the connection says enough.
   */
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
      // The last retrieval of this session is over, so its listeners must get no more events.
      dialogue.attach({ ...this.#context, emit() {} })
      dialogue.farewell?.().catch(() => {})
      dialogue.connection.end()
    } else dialogue.connection.close()
  }
}
