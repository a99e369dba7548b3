import type { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import { ftpLine, type Phase, type RetrievalError } from '@retriever/core'
import { FTPContext, FTPError, type FTPResponse } from 'basic-ftp'
import type { RetrievalContext } from '../../../contract/fetcher.ts'
import { isOneLine } from '../../../wire/framing/lines.ts'
import { tlsWanted, wantsTls } from './refusal-words.ts'
import {
  controlLost,
  isPassive,
  isRead,
  outOfStep,
  parsedReply,
  type Reply,
  refusedByServer,
  Secrets,
  verbOf,
  wordsOf,
} from './replies.ts'
import { noServer, ReplyAssembler, ReplyQueue } from './reply-queue.ts'

/** The most `120` replies that may come before the greeting. */
const maxWaits = 10

/** The time in milliseconds that a server which sends a line of text has to greet. */
const strayPatience = 5000

/** The replies to a command that moves data: one when the transfer begins or is refused, and one when it is over. */
export interface Exchange {
  readonly first: Promise<Reply>
  /** The final reply; the same one as `first` where that is a refusal. */
  readonly last: Promise<Reply>
}

/**
 * The control connection. basic-ftp's context holds the sockets and the TLS session and parses the replies; one task
 * of it, which lasts as long as the connection, gets them all. This class adds that every command goes out through
 * `send`, that only whole replies reach the parser, and that a queue gives each reply to its command, since commands
 * are pipelined. The deadline alone limits the time: basic-ftp's timeout is off.
 *
 * A connection may outlive the retrieval that opened it: `attach` and `detach` say which retrieval it serves.
 */
export class Control extends FTPContext {
  #context: RetrievalContext
  #attached = true
  readonly #assembler: ReplyAssembler
  readonly #queue = new ReplyQueue()
  readonly #secrets = new Secrets()
  #failure: RetrievalError | undefined
  /** True from the moment the socket is taken over until closeWithError. */
  #isOpen = false
  #closedBy: Error | undefined
  /** True after end() or close(): whatever still comes is ignored. */
  #over = false
  #strayTimer: NodeJS.Timeout | undefined
  /** Commands that `together` has collected for one write; null: each command is written by itself. */
  #outbox: string | null = null
  /** The octets of the reply that basic-ftp is parsing. */
  #octets = ''
  /**
   * The `received` events still to be emitted. Each is emitted when its reply is awaited, so they come in command
   * order.
   */
  readonly #unreported = new WeakMap<Reply, { readonly verb: string; readonly octets: string }>()
  /** True once commands have been sent before earlier ones were answered. */
  pipelined = false
  /** True where a silence was taken to mean that the server has thrown commands away: a reply may still come. */
  hasForgotten = false
  /** Whether octets FF are doubled on this connection. */
  isTelnet = true
  /** The TLS connection that is being negotiated over `socket`. */
  handshake: Socket | undefined
  /** True where the reply to a later command came in place of a transfer's. */
  transferDropped = false

  /** Takes over a connected socket. The caller waits for the greeting in the same turn, so that no octet is missed. */
  constructor(context: RetrievalContext, socket: Socket) {
    super(0, 'latin1')
    this.#context = context
    this.#assembler = new ReplyAssembler(
      () => this.#context,
      (octets) => this.#secrets.masked(octets),
    )
    this.#takeOver(socket)
    this.#isOpen = true
    // The task never ends by itself. Its errors reach the commands through the queue.
    this.handle(undefined, (response) => this.#receive(response)).catch(() => {})
  }

  /** Whether another command can be sent. */
  get isUsable(): boolean {
    return this.#isOpen && !this.#over && this.#failure === undefined && !this.socket.destroyed
  }

  /** Continues over TLS, once it is negotiated. */
  upgrade(socket: TLSSocket): void {
    this.#takeOver(socket)
  }

  /** From now on the connection serves this retrieval. */
  attach(context: RetrievalContext): void {
    this.#context = context
    this.#attached = true
    this.hasForgotten = false
    this.socket.ref()
  }

  /**
   * The connection serves no retrieval: later replies have no events, and an idle connection does not keep the process
   * alive.
   */
  detach(): void {
    this.#attached = false
    this.socket.unref()
  }

  /**
   * Throws `protocol-violation` where more replies came than commands were sent, even a part of one; empty lines do not
   * count. Pipelines call it before they go on.
   */
  checkQuiet(): void {
    const { rest } = this.#assembler
    if (rest.trim() !== '' && this.#queue.isEmpty) this.#fail(this.#desync(rest))
    if (this.#failure !== undefined) throw this.#failure
  }

  /** Throws where octets came before TLS begins: they would be read as if they had come over TLS. */
  checkSilent(): void {
    const { rest } = this.#assembler
    if (rest !== '') this.#fail(this.#desync(rest))
    this.checkQuiet()
  }

  /** Waits for the greeting. `120 Service ready in nnn minutes` may come before it (RFC 959 5.4). */
  greeting(): Promise<Reply> {
    this.checkQuiet()
    let waits = 0
    const greeting = this.#queue.expect('the connection', (reply) => {
      if (reply.code !== 120) return true
      if (++waits > maxWaits) throw this.#context.error('limit-exceeded', 'The server greets with 120 for ever.')
      return false
    })
    return this.wait('greeting', greeting)
  }

  /** Sends a command that has one reply. The caller may wait for it or not. */
  post(command: string): Promise<Reply> {
    return this.#queue.expect(this.#say(command), () => true)
  }

  /** Like `post`, for a command that is sent behind a transfer command, before the transfer is over. */
  postBehind(command: string): Promise<Reply> {
    return this.#queue.expect(this.#say(command), (reply) => {
      // This reply begins a transfer, so the one before it did not belong to that transfer.
      if (reply.code < 200) throw this.#overtake()
      return true
    })
  }

  /**
   * Waits for the reply to a command that was sent. The time limit is one of silence, so earlier replies do not count
   * against it. Rejects with `server-refused` for 421 (RFC 959 5.4: it may answer any command, and the server closes
   * after it), with `receive-failed` where the connection ends, and with `protocol-violation` for anything but one
   * reply.
   */
  async wait(phase: Phase, pending: Promise<Reply>): Promise<Reply> {
    const reply = this.#arrivedReply(phase, pending) ?? (await this.#awaitReply(phase, pending))
    const verb = this.report(reply)
    if (reply.code === 421) throw this.#closing(reply, verb)
    return reply
  }

  /** Whether the reply has come; a wait for it then ends at once. */
  hasArrived(pending: Promise<Reply>): boolean {
    return this.#queue.arrived(pending) !== undefined
  }

  /** The reply that has come already, as those to a pipeline do, mostly in one segment: it needs no timer. */
  #arrivedReply(phase: Phase, pending: Promise<Reply>): Reply | undefined {
    const reply = this.#queue.arrived(pending)
    if (reply === undefined) return undefined
    const { deadline } = this.#context
    deadline.phase = phase
    deadline.throwIfAborted()
    return reply
  }

  #awaitReply(phase: Phase, pending: Promise<Reply>): Promise<Reply> {
    // Avoids an unhandledRejection where the retrieval has ended already.
    pending.catch(() => {})
    return this.#context.deadline.within(phase, () => pending)
  }

  /** pure-ftpd refuses a login in the clear by closing the connection (421). */
  #closing(reply: Reply, verb: string): RetrievalError {
    const isLogin = verb === 'USER' || verb === 'PASS'
    const isRefused = isLogin && !(this.socket instanceof TLSSocket) && wantsTls(reply)
    return refusedByServer(this.#context, reply, verb, isRefused ? tlsWanted : {})
  }

  /** Emits the event of a reply that did not pass through `wait`. Returns the command that it answers. */
  report(reply: Reply): string {
    const { verb, octets } = this.#unreported.get(reply) ?? { verb: 'to go on', octets: '' }
    this.#unreported.delete(reply)
    if (octets !== '')
      this.#context.emit({ type: 'received', url: this.#context.url, octets: this.#secrets.masked(octets) })
    return verb
  }

  /** The words of a reply for people, without secrets, even for replies whose values the fetcher reads. */
  shown({ code, text }: Reply): string {
    return wordsOf({ code, text: this.#secrets.masked(text) })
  }

  ask(phase: Phase, command: string): Promise<Reply> {
    return this.wait(phase, this.post(command))
  }

  /** Writes all commands that `post` sends in one go: writev costs five times as much. */
  together<T>(post: () => T): T {
    this.#outbox = ''
    try {
      return post()
    } finally {
      const octets = this.#outbox
      this.#outbox = null
      if (octets !== '') this.socket.write(octets, 'latin1')
    }
  }

  /** Sends a command that moves data over a connection of its own. */
  begin(command: string): Exchange {
    let isBegun = false
    let begin: (reply: Reply) => void = () => {}
    const last = this.#queue.expect(this.#say(command), (reply) => {
      if (isPassive(reply)) throw this.#overtake()
      const isOver = reply.code >= 200
      if (isBegun && !isOver) throw this.#desync(wordsOf(reply))
      if (!isBegun) begin(reply)
      isBegun = true
      return isOver
    })
    const first = new Promise<Reply>((resolve, reject) => {
      begin = (reply) => {
        this.#queue.noteArrival(first, reply)
        resolve(reply)
      }
      last.catch(reject)
    })
    first.catch(() => {})
    return { first, last }
  }

  /** Stops waiting for the replies that have not come: the server has thrown those commands away. */
  forget(): void {
    this.hasForgotten = true
    this.#queue.forget()
  }

  /** Sends QUIT where the server still listens, and closes without waiting for the reply. */
  end(): void {
    if (this.#over) return
    if (!this.isUsable || this.#context.deadline.reason !== null) {
      this.close()
      return
    }
    this.#over = true
    this.send('QUIT')
    // Frees the socket as soon as the QUIT has been handed to the kernel.
    this.socket.destroySoon()
  }

  override close(): void {
    this.#over = true
    clearTimeout(this.#strayTimer)
    // TLS closes before the socket below it: in the other order, Node 20 can end the process by a segmentation fault.
    this.handshake?.destroy()
    super.close()
  }

  override closeWithError(error: Error): void {
    this.#isOpen = false
    this.#closedBy ??= error
    super.closeWithError(error)
  }

  /**
   * Sends every command. It refuses one that would be two commands, or is not made of octets, whatever was checked
   * before. basic-ftp sends QUIT whenever it closes a socket, even a broken one; that QUIT is dropped.
   */
  override send(command: string): void {
    if (!this.#isOpen) return
    if (!isOneLine(command)) {
      throw this.#context.error('refused', 'A command holds CR, LF, NUL or a character that is no octet.', {
        phase: 'policy',
      })
    }
    const octets = this.isTelnet ? ftpLine(command) : `${command}\r\n`
    const shown = this.#secrets.shown(command)
    if (this.#attached) {
      this.#context.emit({ type: 'sent', url: this.#context.url, octets: shown })
      this.#context.stopwatch?.requested()
    }
    if (this.#outbox === null) this.socket.write(octets, 'latin1')
    else this.#outbox += octets
  }

  /** Sends a command, and returns what may be shown of it. */
  #say(command: string): string {
    this.checkQuiet()
    if (!this.isUsable) throw this.#lost(this.#closedBy ?? new Error('closed'))
    this.send(command)
    if (!this.#queue.isEmpty) this.pipelined = true
    return verbOf(command)
  }

  /**
   * Takes over a socket, and passes only whole replies to basic-ftp's listener: its parser loses the rest of a reply
   * that is split across segments, and would take `227 Entering (127,0,0,1,40,12` + `3)` for port 10252.
   */
  #takeOver(socket: Socket): void {
    this.socket = socket
    const parsers = socket.listeners('data')
    socket.removeAllListeners('data')
    socket.on('data', (chunk: string) => {
      this.#assemble(chunk, (reply) => {
        for (const parse of parsers) Reflect.apply(parse, socket, [reply])
      })
    })
  }

  #assemble(chunk: string, parse: (reply: string) => void): void {
    if (this.#over) return
    try {
      for (const octets of this.#assembler.push(chunk)) {
        this.#octets = octets
        parse(octets)
        if (this.#failure !== undefined) return
      }
      this.#watchStray()
    } catch (error) {
      this.#fail(error as RetrievalError)
    }
  }

  /** Handles what basic-ftp has parsed, or its reason for closing the connection. */
  #receive(response: Error | FTPResponse): void {
    if (response instanceof Error && !(response instanceof FTPError)) {
      this.#queue.fail(this.#failure ?? this.#lost(response))
      return
    }
    try {
      this.#answer(parsedReply(response))
    } catch (error) {
      this.#fail(error as RetrievalError)
    }
  }

  #answer({ code, text }: Reply): void {
    const { verb } = this.#queue
    const reply: Reply = { code, text: isRead(verb, code) ? text : this.#secrets.masked(text) }
    // A reply to no command: basic-ftp would drop it, or take the next one for the answer to the wrong command.
    if (verb === undefined) {
      this.#fail(code === 421 ? refusedByServer(this.#context, reply, 'to go on') : this.#desync(wordsOf(reply)))
      return
    }
    this.#unreported.set(reply, { verb, octets: this.#octets })
    this.#queue.deliver(reply)
  }

  /** A server of another protocol may send nothing more after its first line. */
  #watchStray(): void {
    const { strayLine } = this.#assembler
    if (strayLine === undefined) clearTimeout(this.#strayTimer)
    else this.#strayTimer ??= setTimeout(() => this.#fail(noServer(this.#context, strayLine)), strayPatience).unref()
  }

  /**
   * 229 does not answer a transfer command: the server has answered the EPSV behind it, and may have dropped the
   * transfer.
   */
  #overtake(): RetrievalError {
    this.transferDropped = true
    return this.#context.error('partial', 'The server broke off the transfer for the command after it; try again.')
  }

  /** Closes the connection, as the server and we may be out of step, so that nothing more is sent. */
  #fail(error: RetrievalError): void {
    this.#failure ??= error
    this.closeWithError(error)
  }

  #desync(words: string): RetrievalError {
    return outOfStep(this.#context, this.#secrets.masked(words))
  }

  #lost(cause: Error | FTPResponse): RetrievalError {
    return controlLost(this.#context, cause, this.#assembler.rest !== '')
  }
}
