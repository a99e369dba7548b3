import type { Socket } from 'node:net'
import type { NntpPlan, RetrievalError } from '@retriever/core'
import type { RetrievalContext } from '../../plugin/fetcher.ts'
import { DotDecoder } from '../../wire/framing/dot.ts'
import { LineReader } from '../../wire/framing/lines.ts'
import { type Reply, readReply } from '../../wire/framing/reply.ts'
import { Connection } from '../../wire/transport/connection.ts'
import { checkGroupName } from '../group/group-reply.ts'
import { type Ahead, CommandQueue, PendingCommand, SessionLost } from './command-queue.ts'
import type { ServerQuirks } from './server-quirks.ts'

/** A plan that names its server. */
export type ServerPlan = NntpPlan & { readonly host: string }

/** Octets of an answer that nobody wants any more, and that are read away; for more, another connection costs less. */
const maxDrained = 262_144

/**
 * Milliseconds that an answer may be left unread while other retrievals wait for the connection; at most
 * limits.idleTimeout.
 */
const maxUnread = 10_000

/** Replies that a multi-line block follows (RFC 3977 3.2, appendix C); 211 only after LISTGROUP. */
const withBlock: ReadonlySet<number> = new Set([100, 101, 215, 220, 221, 222, 224, 225, 230, 231])

function hasBlock({ command }: PendingCommand, { code }: Reply): boolean {
  return withBlock.has(code) || (code === 211 && command.startsWith('LISTGROUP'))
}

/**
 * One connection to a news server, shared by retrievals that send their commands without waiting for each other. Each
 * reads its own answer when its turn has come. An answer that its consumer leaves unread while others wait is read
 * ahead into memory, as far as it is small; a larger one loses the connection after a while.
 */
export class NntpSession {
  readonly quirks: ServerQuirks
  /** Retrievals that have been answered here. */
  served = 0
  /** A login, or MODE READER, has changed what the server answers; commands of before are to be sent again. */
  epoch = 0
  /** Settles when such a change under way is done; null: there is none. */
  unlocking: Promise<void> | null = null
  isLoggedIn = false
  isReader = false
  /** Some command has had success: it is no server that wants MODE READER first. */
  hasAnswered = false
  /** The login's refusal, for all who have asked for something here: it is not tried again and again. */
  refusedLogin: Reply | null = null
  readonly #socket: Socket
  readonly #order = new CommandQueue()
  #isReading = false
  /** When anything was last read, or taken of what had been read ahead. */
  #lastRead = performance.now()
  #waiting = 0
  #watch: NodeJS.Timeout | undefined
  #isEvicted = false
  /** Told when an unread answer has cost this session its connection. */
  onEvicted: () => void = () => {}
  #lines: LineReader
  #context: RetrievalContext
  #selection: { readonly newsgroup: string; readonly slot: PendingCommand } | null = null

  constructor(socket: Socket, context: RetrievalContext, quirks: ServerQuirks) {
    this.#socket = socket
    this.#context = context
    this.#lines = new LineReader(new Connection(socket, context), context)
    this.quirks = quirks
  }

  /** Nothing is under way, and the server has neither left nor said anything that nobody has asked for. */
  get isUsable(): boolean {
    if (this.refusedLogin !== null) return false
    const { readableLength, readableEnded, destroyed, writable } = this.#socket
    return (
      this.#order.length === 0 && !this.#lines.holds && readableLength === 0 && !readableEnded && !destroyed && writable
    )
  }

  /** While nobody uses it, it is no reason for the process to go on. */
  set isIdle(isIdle: boolean) {
    if (isIdle) this.#socket.unref()
    else this.#socket.ref()
  }

  get isLost(): boolean {
    return this.#socket.destroyed
  }

  post(command: string, context: RetrievalContext): PendingCommand {
    return this.#post(new PendingCommand(command), context)
  }

  /** Sends a command of a login. `shown` stands for it in events where it is secret. */
  postSecret(command: string, context: RetrievalContext, shown: string, secrets: readonly string[]): PendingCommand {
    const slot = new PendingCommand(command)
    slot.secrets = secrets
    return this.#post(slot, context, shown)
  }

  /** Sends a command that is about a newsgroup, behind the GROUP that it needs. */
  postIn(newsgroup: string, command: string, context: RetrievalContext): readonly PendingCommand[] {
    if (this.#selection?.newsgroup === newsgroup) {
      return [this.#post(new PendingCommand(command, this.#selection.slot), context)]
    }
    const group = this.select(newsgroup, context)
    return [group, this.#post(new PendingCommand(command, group), context)]
  }

  select(newsgroup: string, context: RetrievalContext): PendingCommand {
    const slot = this.post(`GROUP ${newsgroup}`, context)
    this.#selection = { newsgroup, slot }
    return slot
  }

  /** Servers may forget the group at a login (RFC 4643 2.2) and at MODE READER, and keep the one before where GROUP fails. */
  unselect(slot?: PendingCommand): void {
    if (slot === undefined || this.#selection?.slot === slot) this.#selection = null
  }

  /** The reply to a command of this retrieval, once those before have been read. */
  async reply(slot: PendingCommand, context: RetrievalContext): Promise<Reply> {
    await this.#turn(slot, context)
    return this.#read(context, async (lines) => {
      await slot.sent
      const reply = await this.#readReply(slot, lines, context)
      if (reply.code < 400) this.hasAnswered = true
      // RFC 3977 3.2.1: the end of the connection follows.
      if (reply.code === 400) this.lose()
      return reply
    })
  }

  /** A consumer is to read the block of this answer. */
  hold(slot: PendingCommand, body: Ahead): void {
    slot.body = body
    if (this.isWantedByOthers) body.readAhead()
  }

  /** Retrievals wait for an answer behind the one that is read, or for a place here. */
  get isWantedByOthers(): boolean {
    return this.#waiting > 0
  }

  /** Says that a retrieval waits; the function given back says that it no longer does. */
  addWaiting({ limits }: Pick<RetrievalContext, 'limits'>): () => void {
    // Before that, the time that a consumer takes costs no one anything.
    if (this.#waiting++ === 0) this.noteRead()
    this.#order.firstWanted?.body?.readAhead()
    this.#watchUnread(Math.min(maxUnread, limits.idleTimeout))
    let isWaiting = true
    return () => {
      if (!isWaiting) return
      isWaiting = false
      if (--this.#waiting > 0) return
      clearTimeout(this.#watch)
      this.#watch = undefined
    }
  }

  /** The answer is in use: its consumer has taken octets of it. */
  noteRead(): void {
    this.#lastRead = performance.now()
  }

  /** The error for an answer that lost the connection since it was left unread; null: it did not. */
  evicted(context: RetrievalContext): RetrievalError | null {
    if (!this.#isEvicted) return null
    const what = 'The body was left unread while other retrievals waited for its connection, which was closed'
    return context.error('partial', `${what}. Read or cancel each body soon.`, { phase: 'body', transient: true })
  }

  /** The next octets of the block behind a reply, the dots of its lines restored; null at its end. */
  async next(slot: PendingCommand, context: RetrievalContext): Promise<Uint8Array | null> {
    const evicted = this.evicted(context)
    if (evicted !== null) throw evicted
    const decoder = slot.decoder ?? new DotDecoder()
    slot.decoder = decoder
    while (!decoder.ended) {
      const octets = await this.#read(context, (lines) => decoder.pull(lines, context))
      if (octets.length > 0) return octets
    }
    return null
  }

  /** The answer has been read to its end. */
  end(slot: PendingCommand): void {
    this.#order.end(slot)
  }

  /** Nobody will read what is left of the answer; or all of it. */
  abandon(...slots: readonly PendingCommand[]): void {
    // A read that nobody waits for would take octets with it.
    if (this.#isReading && slots.some((slot) => slot === this.#order.head)) this.lose()
    for (const slot of slots) this.#order.abandon(slot)
  }

  /** Nothing more comes; whoever waits here goes to another session. */
  lose(): void {
    clearTimeout(this.#watch)
    this.#socket.destroy()
    this.#order.lose()
  }

  /** QUIT without waiting for the answer (a courtesy, RFC 3977 5.4), then the end. */
  close(): void {
    if (this.isUsable) new Connection(this.#socket, { ...this.#context, emit() {} }).sendLine('QUIT').catch(() => {})
    this.lose()
  }

  #post(slot: PendingCommand, context: RetrievalContext, shown: string = slot.command): PendingCommand {
    this.#order.add(slot)
    this.#gather()
    slot.sent = new Connection(this.#socket, context).sendLine(slot.command, shown)
    // Met where the reply is read.
    slot.sent.catch(() => {})
    return slot
  }

  /** What is sent in one turn of the event loop goes out in one segment. */
  #gather(): void {
    if (this.#socket.writableCorked > 0) return
    this.#socket.cork()
    process.nextTick(() => this.#socket.uncork())
  }

  #watchUnread(milliseconds: number): void {
    if (this.#watch !== undefined || this.isLost) return
    const look = (): void => {
      this.#watch = undefined
      if (this.#isReading || this.#order.firstWanted === undefined) this.noteRead()
      if (performance.now() - this.#lastRead < milliseconds) this.#watchUnread(milliseconds)
      else this.#evict()
    }
    this.#watch = setTimeout(look, Math.max(1, milliseconds - (performance.now() - this.#lastRead)))
  }

  #evict(): void {
    this.#isEvicted = true
    this.lose()
    this.onEvicted()
  }

  async #turn(slot: PendingCommand, context: RetrievalContext): Promise<void> {
    context.deadline.phase = slot.phase
    let left = maxDrained
    try {
      await this.#ownTurn(slot, context)
      for (let head = this.#order.head; head !== undefined && head !== slot; head = this.#order.head) {
        left = await this.#drain(head, context, left)
      }
    } catch (cause) {
      // Nobody may wait for its turn to be used.
      this.abandon(slot)
      context.deadline.throwIfAborted()
      if (cause instanceof SessionLost) throw cause
      // Perhaps an answer of its own: of a command behind a GROUP that has failed.
      const message = 'The connection was lost in an answer that nobody wants any more; try again.'
      throw context.error('receive-failed', message, { transient: true, cause })
    }
  }

  async #ownTurn(slot: PendingCommand, context: RetrievalContext): Promise<void> {
    if (this.#order.firstWanted === slot) return this.#order.turn(slot, context)
    const noLonger = this.addWaiting(context)
    try {
      await this.#order.turn(slot, context)
    } finally {
      noLonger()
    }
  }

  /** Reads an answer away; gives back how much more may be. */
  async #drain(slot: PendingCommand, context: RetrievalContext, most: number): Promise<number> {
    let left = most
    await this.#read(context, async (lines) => {
      if (slot.reply === null) await this.#readReply(slot, lines, context)
    })
    if (slot.reply !== null && hasBlock(slot, slot.reply)) {
      for (let octets = await this.next(slot, context); octets !== null; octets = await this.next(slot, context)) {
        left -= octets.length
        if (left > 0) continue
        this.lose()
        throw context.error('limit-exceeded', `The server sent over ${maxDrained} octets that nobody wants.`)
      }
    }
    this.#order.end(slot)
    return left
  }

  async #readReply(slot: PendingCommand, lines: LineReader, context: RetrievalContext): Promise<Reply> {
    // Also where all of it has come already, and nobody waits.
    context.deadline.phase = slot.phase
    slot.reply = await readReply(lines, context, slot.phase, slot.secrets ?? [])
    if (slot.reply.code !== 211) this.unselect(slot)
    const newsgroup = /^GROUP (.*)$/s.exec(slot.command)?.[1]
    if (newsgroup !== undefined) checkGroupName(context, slot.reply, newsgroup)
    return slot.reply
  }

  /** A read that fails, or that its retrieval no longer waits for, leaves nobody who knows where in the stream it is. */
  async #read<T>(context: RetrievalContext, read: (lines: LineReader) => Promise<T>): Promise<T> {
    if (this.#context !== context) {
      this.#context = context
      this.#lines = this.#lines.handOver(new Connection(this.#socket, context), context)
    }
    this.#isReading = true
    try {
      return await read(this.#lines)
    } catch (error) {
      this.lose()
      throw error
    } finally {
      this.#isReading = false
      this.noteRead()
    }
  }
}
