import type { Phase } from '@retriever/core'
import type { RetrievalContext } from '../../../contract/fetcher.ts'
import type { DotDecoder } from '../../../wire/framing/dot.ts'
import type { Reply } from '../../../wire/framing/reply.ts'

/** Thrown where the connection was lost while the answer to another command was read: this command is not to blame. */
export class SessionLost extends Error {
  override readonly name = 'SessionLost'
}

/** The body of an answer, which may wait in memory for its consumer. */
export interface ReadAhead {
  /** Reads on without the consumer, up to a limit, so that the answers behind this one come sooner. */
  readAhead(): void
}

/** A command whose answer has not been read to its end. Replies come in the order of the commands (RFC 3977 3.5). */
export class PendingCommand {
  /** The command without its line end. */
  readonly text: string
  reply: Reply | null = null
  /** The decoder of the block behind the reply, once it is being read. */
  decoder: DotDecoder | null = null
  /** The block, if a consumer is to read it. */
  body: ReadAhead | null = null
  /** True where the answer is no longer needed; the next retrieval reads it away. */
  isAbandoned = false
  /** The GROUP command that it relies on; null: it relies on none. */
  readonly selection: PendingCommand | null
  /** The secrets of a login command, which the reply may repeat; null: it is none. */
  readonly secrets: readonly string[] | null
  sent: Promise<void> = Promise.resolve()
  wake: () => void = () => {}

  constructor(text: string, selection: PendingCommand | null = null, secrets: readonly string[] | null = null) {
    this.text = text
    this.selection = selection
    this.secrets = secrets
  }

  get isGroup(): boolean {
    return this.text.startsWith('GROUP ')
  }

  get phase(): Phase {
    return this.secrets === null ? 'request' : 'login'
  }
}

/** The pending commands of one connection, in the order in which they were sent. */
export class CommandQueue {
  readonly #commands: PendingCommand[] = []
  #isLost = false

  get isEmpty(): boolean {
    return this.#commands.length === 0
  }

  add(command: PendingCommand): void {
    this.#commands.push(command)
  }

  /** The command whose answer comes next. */
  get head(): PendingCommand | undefined {
    return this.#commands[0]
  }

  /** The first command whose answer is still wanted. */
  get firstWanted(): PendingCommand | undefined {
    return this.#commands.find(({ isAbandoned }) => !isAbandoned)
  }

  /** Waits until all commands before it are over or abandoned. Rejects with SessionLost, or when the retrieval ends. */
  async turn(command: PendingCommand, { deadline }: RetrievalContext): Promise<void> {
    while (!this.#isLost && this.firstWanted !== command) {
      // The consumers of the answers before it may take their time to read: no limit of a phase runs.
      await deadline.unlimited(() => new Promise<void>((resolve) => (command.wake = resolve)))
    }
    if (this.#isLost) throw new SessionLost()
  }

  end(command: PendingCommand): void {
    const at = this.#commands.indexOf(command)
    if (at !== -1) this.#commands.splice(at, 1)
    this.firstWanted?.wake()
  }

  abandon(command: PendingCommand): void {
    command.isAbandoned = true
    this.firstWanted?.wake()
  }

  /** Wakes all commands that wait, since no more answers will come. */
  lose(): void {
    this.#isLost = true
    for (const command of this.#commands) command.wake()
  }
}
