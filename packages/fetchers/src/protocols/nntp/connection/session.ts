import type { Socket } from 'node:net'
import type { RetrievalError } from '@retriever/core'
import type { NntpPlan } from '@retriever/core/internal'
import type { RetrievalContext } from '../../../contract/fetcher.ts'
import type { Reply } from '../../../wire/framing/reply.ts'
import type { ReusableSession } from '../../../wire/pool/session-pool.ts'
import { type UnreadBody, UnreadWatch, unreadError } from '../../../wire/pool/unread-watch.ts'
import { Connection } from '../../../wire/transport/connection.ts'
import { AnswerReader } from './answer-reader.ts'
import { CommandQueue, PendingCommand, type ReadAhead, SessionLost } from './command-queue.ts'
import type { NntpQuirks } from './server-quirks.ts'

/** A plan that names its server. */
export type ServerPlan = NntpPlan & { readonly host: string }

/** How many milliseconds a body may be unread while others wait for its connection. */
export function unreadLimit({ idleTimeout, unreadTimeout }: RetrievalContext['limits']): number {
  return Math.min(unreadTimeout, idleTimeout)
}

/**
 * One connection to a news server. The retrievals that share it send their commands without waiting for each other, and
 * each reads its own answer in its turn. If a consumer leaves a body unread while others wait, a small body is read
 * ahead into memory; for a larger one, the session is closed after a while.
 */
export class NntpSession implements ReusableSession, UnreadBody {
  readonly quirks: NntpQuirks
  served = 0
  readonly unreadWatch: UnreadWatch = new UnreadWatch(this)
  /**
   * Counts logins and MODE READER. Each changes the server's answers, so a command that was refused before is sent
   * again.
   */
  epoch = 0
  /** Settles when a login or MODE READER that is under way is done. Null: there is none. */
  accessChange: Promise<void> | null = null
  isLoggedIn = false
  isReader = false
  /** True after a command has succeeded, which shows that the server does not want MODE READER first. */
  hasAnswered = false
  /** The refusal of the login. It holds for all retrievals that use the session: the login is not tried again. */
  refusedLogin: Reply | null = null
  /** Set if the server was full when this session was to log in. */
  full: RetrievalError | null = null
  readonly #socket: Socket
  readonly #queue = new CommandQueue()
  readonly #answers: AnswerReader
  #isEvicted = false
  /** The last GROUP command that was sent. */
  #selection: PendingCommand | null = null

  constructor(socket: Socket, context: RetrievalContext, quirks: NntpQuirks) {
    this.#socket = socket
    this.#answers = new AnswerReader(socket, context, () => this.lose())
    this.quirks = quirks
  }

  get isUsable(): boolean {
    const { readableEnded, destroyed, writable } = this.#socket
    const isOpen = !readableEnded && !destroyed && writable
    return isOpen && this.refusedLogin === null && this.#queue.isEmpty && !this.#answers.holdsOctets
  }

  get isLost(): boolean {
    return this.#socket.destroyed
  }

  attach(): void {
    this.#socket.ref()
  }

  detach(): void {
    this.#socket.unref()
  }

  /** Sends QUIT without waiting for the answer (a courtesy, RFC 3977 5.4), and closes. */
  close(): void {
    const { context } = this.#answers
    if (this.isUsable) new Connection(this.#socket, { ...context, emit() {} }).sendLine('QUIT').catch(() => {})
    this.lose()
  }

  post(command: string, context: RetrievalContext): PendingCommand {
    return this.#post(new PendingCommand(command), context)
  }

  /** Sends a command of a login. Events show `shown` instead. */
  postLogin(command: string, context: RetrievalContext, shown: string, secrets: readonly string[]): PendingCommand {
    return this.#post(new PendingCommand(command, null, secrets), context, shown)
  }

  /** Sends a command about a newsgroup. If another group is selected, sends the GROUP command first. */
  postIn(group: string, command: string, context: RetrievalContext): readonly PendingCommand[] {
    const known = this.#selection
    // If GROUP fails, a server may keep the previous group, or none.
    const isSelected = known?.text === group && (known.reply === null || known.reply.code === 211)
    const selection = isSelected ? known : this.post(group, context)
    const pending = this.#post(new PendingCommand(command, selection), context)
    return isSelected ? [pending] : [selection, pending]
  }

  /** Forgets the selected group, since servers may forget it at a login (RFC 4643 2.2) and at MODE READER. */
  unselect(): void {
    this.#selection = null
  }

  /** Waits for the reply to a command, after the answers before it have been read. */
  async reply(command: PendingCommand, context: RetrievalContext): Promise<Reply> {
    await this.#turn(command, context)
    const reply = await this.#answers.reply(command, context)
    if (reply.code < 400) this.hasAnswered = true
    // The server closes the connection after 400 (RFC 3977 3.2.1).
    if (reply.code === 400) this.lose()
    return reply
  }

  /**
   * Reads the next octets of the block after a reply, without the dots that were added to its lines. Null at its end.
   */
  next(command: PendingCommand, context: RetrievalContext): Promise<Uint8Array | null> {
    const evicted = this.evicted(context)
    return evicted === null ? this.#answers.octets(command, context) : Promise.reject(evicted)
  }

  /** Ends the command after its answer has been read to the end. */
  end(command: PendingCommand): void {
    this.#queue.end(command)
  }

  /** Abandons these answers, or their rest, because nobody needs them. */
  abandon(...commands: readonly PendingCommand[]): void {
    // A read that is under way would lose its octets, and the position in the stream with them.
    if (this.#answers.isReading && commands.some((command) => command === this.#queue.head)) this.lose()
    for (const command of commands) this.#queue.abandon(command)
  }

  /** Closes the connection. Retrievals that wait here go to another session. */
  lose(): void {
    this.#socket.destroy()
    this.#queue.lose()
  }

  /** Gives the block of this answer to a consumer. */
  hold(command: PendingCommand, body: ReadAhead): void {
    command.body = body
    if (this.isWantedByOthers) body.readAhead()
  }

  /** Whether retrievals wait for an answer after the one that is being read, or for a slot at this server. */
  get isWantedByOthers(): boolean {
    return this.unreadWatch.isWaitedFor
  }

  onWaitedFor(): void {
    // The time that the consumer took while no retrieval waited does not count.
    this.noteRead()
    this.#queue.firstWanted?.body?.readAhead()
  }

  get unreadSince(): number | null {
    const isIdle = this.isLost || this.#queue.firstWanted === undefined
    return isIdle || this.#answers.isReading ? null : this.#answers.lastRead
  }

  /** Notes that the consumer has taken octets of the body. */
  noteRead(): void {
    this.#answers.lastRead = performance.now()
  }

  evict(): void {
    this.#isEvicted = true
    this.lose()
  }

  /** Makes the error for a body that has lost its session because nobody read it. Null: it has not lost it. */
  evicted(context: RetrievalContext): RetrievalError | null {
    return this.#isEvicted ? unreadError(context) : null
  }

  #post(command: PendingCommand, context: RetrievalContext, shown: string = command.text): PendingCommand {
    this.#queue.add(command)
    if (command.isGroup) this.#selection = command
    this.#gather()
    command.sent = new Connection(this.#socket, context).postLine(command.text, shown)
    // Avoids an unhandledRejection. The retrieval that reads the reply still gets the error.
    command.sent.catch(() => {})
    return command
  }

  /** Collects the commands that are sent in one turn of the event loop, so that they go in one segment. */
  #gather(): void {
    if (this.#socket.writableCorked > 0) return
    this.#socket.cork()
    process.nextTick(() => this.#socket.uncork())
  }

  /** Waits until the answer to a command is the next one. */
  async #turn(command: PendingCommand, context: RetrievalContext): Promise<void> {
    context.deadline.phase = command.phase
    const stopWaiting =
      this.#queue.firstWanted === command ? null : this.unreadWatch.addWaiting(unreadLimit(context.limits))
    try {
      await this.#queue.turn(command, context)
      stopWaiting?.()
      if (this.#queue.head !== command) await this.#answers.drain(this.#queue, command, context)
    } catch (cause) {
      stopWaiting?.()
      // Otherwise the commands after it would wait for this one for ever.
      this.abandon(command)
      context.deadline.throwIfAborted()
      if (cause instanceof SessionLost) throw cause
      // The abandoned answer may be this retrieval's own: to a command after a GROUP that failed.
      const message = 'The connection was lost in an answer that was not wanted any more; try again.'
      throw context.error('receive-failed', message, { transient: true, cause })
    }
  }
}
