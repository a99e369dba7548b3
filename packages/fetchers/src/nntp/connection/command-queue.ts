import type { Phase } from '@retriever/core'
import type { RetrievalContext } from '../../plugin/fetcher.ts'
import type { DotDecoder } from '../../wire/framing/dot.ts'
import type { Reply } from '../../wire/framing/reply.ts'

/** The connection was lost while others were being answered: it says nothing about what was asked behind them. */
export class SessionLost extends Error {
  override readonly name = 'SessionLost'
}

/** The body of an answer, which may wait in memory for its consumer. */
export interface Ahead {
  /** Reads on without the consumer, up to a limit, so that the answers behind come sooner. */
  readAhead(): void
}

/** One command under way: replies come in the order of the commands (RFC 3977 3.5). */
export class PendingCommand {
  readonly command: string
  reply: Reply | null = null
  /** Of a block that has begun. */
  decoder: DotDecoder | null = null
  /** The block, where a consumer is to read it. */
  body: Ahead | null = null
  /** Nobody wants the answer any more; whoever is next reads it away. */
  isAbandoned = false
  /** The GROUP that it relies on; null: none, or it is that one itself. */
  readonly selection: PendingCommand | null
  /** Of a login, which the answer may repeat; null: it is none. */
  secrets: readonly string[] | null = null
  sent: Promise<void> = Promise.resolve()
  wake: () => void = () => {}

  constructor(command: string, selection: PendingCommand | null = null) {
    this.command = command
    this.selection = selection
  }

  get phase(): Phase {
    return this.secrets === null ? 'request' : 'login'
  }
}

/** The commands under way on one connection, each in the hands of whoever has sent it. */
export class CommandQueue {
  readonly #slots: PendingCommand[] = []
  #isLost = false

  get length(): number {
    return this.#slots.length
  }

  add(slot: PendingCommand): void {
    this.#slots.push(slot)
  }

  /** The first one still under way. */
  get head(): PendingCommand | undefined {
    return this.#slots[0]
  }

  /** Resolves once all before it are over or abandoned. Rejects with SessionLost, or where the retrieval ends. */
  async turn(slot: PendingCommand, { deadline }: RetrievalContext): Promise<void> {
    while (!this.#isLost && this.firstWanted !== slot) {
      // Whoever is before may take its time to read: no limit of a phase runs.
      await deadline.unlimited(() => new Promise<void>((resolve) => (slot.wake = resolve)))
    }
    if (this.#isLost) throw new SessionLost()
  }

  end(slot: PendingCommand): void {
    const at = this.#slots.indexOf(slot)
    if (at !== -1) this.#slots.splice(at, 1)
    this.firstWanted?.wake()
  }

  abandon(slot: PendingCommand): void {
    slot.isAbandoned = true
    this.firstWanted?.wake()
  }

  /** Nothing more will come: all who wait are told so. */
  lose(): void {
    this.#isLost = true
    for (const slot of this.#slots) slot.wake()
  }

  /** The one whose turn it is. */
  get firstWanted(): PendingCommand | undefined {
    return this.#slots.find(({ isAbandoned }) => !isAbandoned)
  }
}
