import type { Phase } from '@retriever/core'
import type { RetrievalContext } from '../../../contract/fetcher.ts'
import type { DotDecoder } from '../../../wire/framing/dot.ts'
import type { Reply } from '../../../wire/framing/reply.ts'

/**
 * Thrown if the connection was lost while the answer to another command was read, so that this command is not the
 * cause.
 */
export class SessionLost extends Error {
  override readonly name = 'SessionLost'
}

/** The body of an answer. It may wait in memory for its consumer. */
export interface ReadAhead {
  /** Reads on without the consumer, up to a limit, so that the answers after this one come sooner. */
  readAhead(): void
}

/** A command whose answer has not been read to its end. Replies come in the order of the commands (RFC 3977 3.5). */
export class PendingCommand {
  /** The command without its line end. */
  readonly text: string
  reply: Reply | null = null
  /** The decoder of the block after the reply. Null until the block is read. */
  decoder: DotDecoder | null = null
  /** The block, unless the queue reads it itself. */
  body: ReadAhead | null = null
  /** True if the answer is no longer needed. The next retrieval discards it. */
  isAbandoned = false
  /** The GROUP command that this command relies on. Null: none. */
  readonly selection: PendingCommand | null
  /** The secrets of a login command, which the reply may repeat. Null for other commands. */
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

  /** The command that gets the next answer. */
  get head(): PendingCommand | undefined {
    return this.#commands[0]
  }

  /** The first command whose answer is still wanted. */
  get firstWanted(): PendingCommand | undefined {
    return this.#commands.find(({ isAbandoned }) => !isAbandoned)
  }

  /** Waits until all earlier commands are over or abandoned. Rejects with SessionLost, or when the retrieval ends. */
  async turn(command: PendingCommand, { deadline }: RetrievalContext): Promise<void> {
    while (!this.#isLost && this.firstWanted !== command) {
      // The consumers of earlier answers may take their time, so no limit of a phase runs.
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
