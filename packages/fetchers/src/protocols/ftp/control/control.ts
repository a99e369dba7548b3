import type { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import type { Phase, RetrievalError } from '@retriever/core'
import { ftpLine } from '@retriever/core/internal'
import { FTPContext, FTPError, type FTPResponse } from 'basic-ftp/dist/FtpContext.js'
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

/** How many `120` replies may come before the greeting. */
const maxWaits = 10

/** How many milliseconds a server has to greet after it has sent a line of text. */
const strayPatience = 5000

/** The two replies to a command that moves data: when the transfer begins or is refused, and when it is over. */
export interface Exchange {
  readonly first: Promise<Reply>
  /** The final reply. If `first` refuses the transfer, both are the same. */
  readonly last: Promise<Reply>
}

/**
 * The control connection. basic-ftp's context holds the sockets and the TLS session and parses the replies; one task of
 * it, which lasts as long as the connection, gets them all. This class sends every command through `send` and passes
 * only whole replies to the parser. Commands are pipelined, so its queue gives each reply to its command. Only the
 * deadline limits the time: basic-ftp's timeout is off.
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
  /** True from the takeover of the socket until closeWithError. */
  #isOpen = false
  #closedBy: Error | undefined
  /** True after end() or close(). Whatever still arrives is ignored. */
  #over = false
  #strayTimer: NodeJS.Timeout | undefined
  /** Commands that `together` collects for one write. Null: each command is written by itself. */
  #outbox: string | null = null
  /** The octets of the reply that basic-ftp is parsing. */
  #octets = ''
  /**
   * The `received` events that are still to be emitted. Each is emitted when its reply is awaited, so they have the
   * order of the commands.
   */
  readonly #unreported = new WeakMap<Reply, { readonly verb: string; readonly octets: string }>()
  /** True after a command was sent before an earlier one was answered. */
  pipelined = false
  /** True if, after a silence, we assumed that the server throws commands away. A reply may still come. */
  hasForgotten = false
  /** Whether octets FF are doubled on this connection (Telnet). */
  isTelnet = true
  /** The TLS connection that is being negotiated over `socket`. */
  handshake: Socket | undefined
  /** True if the reply to a later command came in place of the transfer's reply. */
  transferDropped = false

  /**
   * Takes over a connected socket. The caller must wait for the greeting in the same turn, so that no octet is missed.
   */
  constructor(context: RetrievalContext, socket: Socket) {
    super(0, 'latin1')
    this.#context = context
    this.#assembler = new ReplyAssembler(
      () => this.#context,
      (octets) => this.#secrets.masked(octets),
    )
    this.#takeOver(socket)
    this.#isOpen = true
    // The task never ends by itself. The queue passes its errors to the commands.
    this.handle(undefined, (response) => this.#receive(response)).catch(() => {})
  }

  /** Whether another command can be sent. */
  get isUsable(): boolean {
    return this.#isOpen && !this.#over && this.#failure === undefined && !this.socket.destroyed
  }

  /** Continues over TLS after the handshake. */
  upgrade(socket: TLSSocket): void {
    this.#takeOver(socket)
  }

  /** Makes the connection serve this retrieval. */
  attach(context: RetrievalContext): void {
    this.#context = context
    this.#attached = true
    this.hasForgotten = false
    this.socket.ref()
  }

  /**
   * Makes the connection serve no retrieval: later replies cause no events, and the idle connection does not keep the
   * process alive.
   */
  detach(): void {
    this.#attached = false
    this.socket.unref()
  }

  /**
   * Throws `protocol-violation` if more replies came than commands were sent, even a part of one. Empty lines do not
   * count. Pipelines call this before they continue.
   */
  checkQuiet(): void {
    const { rest } = this.#assembler
    if (rest.trim() !== '' && this.#queue.isEmpty) this.#fail(this.#desync(rest))
    if (this.#failure !== undefined) throw this.#failure
  }

  /** Throws if octets came before TLS begins: they would be read as if they had come over TLS. */
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

  /** Sends a command that has one reply. The caller may wait for the reply or not. */
  post(command: string): Promise<Reply> {
    return this.#queue.expect(this.#say(command), () => true)
  }

  /** Works as `post`, for a command that is sent after a transfer command while the transfer still runs. */
  postBehind(command: string): Promise<Reply> {
    return this.#queue.expect(this.#say(command), (reply) => {
      // This reply begins a transfer, so the one before it belonged to another command.
      if (reply.code < 200) throw this.#overtake()
      return true
    })
  }

  /**
   * Waits for the reply to a command that was sent. The time limit is one of silence, so waiting for earlier replies
   * does not count. Rejects with `server-refused` for 421 (RFC 959 5.4: it may answer any command, and the server then
   * closes), with `receive-failed` if the connection ends, and with `protocol-violation` for anything but one reply.
   */
  async wait(phase: Phase, pending: Promise<Reply>): Promise<Reply> {
    const reply = this.#arrivedReply(phase, pending) ?? (await this.#awaitReply(phase, pending))
    const verb = this.report(reply)
    if (reply.code === 421) throw this.#closing(reply, verb)
    return reply
  }

  /** Whether the reply has arrived, so that a wait for it ends at once. */
  hasArrived(pending: Promise<Reply>): boolean {
    return this.#queue.arrived(pending) !== undefined
  }

  /**
   * Returns a reply that has already arrived, which needs no timer. Most replies to a pipeline arrive in one segment.
   */
  #arrivedReply(phase: Phase, pending: Promise<Reply>): Reply | undefined {
    const reply = this.#queue.arrived(pending)
    if (reply === undefined) return undefined
    const { deadline } = this.#context
    deadline.phase = phase
    deadline.throwIfAborted()
    return reply
  }

  #awaitReply(phase: Phase, pending: Promise<Reply>): Promise<Reply> {
    // Avoids an unhandledRejection if the retrieval has already ended.
    pending.catch(() => {})
    return this.#context.deadline.within(phase, () => pending)
  }

  /** Makes the error for 421. pure-ftpd refuses a login in the clear in this way. */
  #closing(reply: Reply, verb: string): RetrievalError {
    const isLogin = verb === 'USER' || verb === 'PASS'
    const isRefused = isLogin && !(this.socket instanceof TLSSocket) && wantsTls(reply)
    return refusedByServer(this.#context, reply, verb, isRefused ? tlsWanted : {})
  }

  /** Emits the event of a reply that did not pass through `wait`. Returns the command that the reply answers. */
  report(reply: Reply): string {
    const { verb, octets } = this.#unreported.get(reply) ?? { verb: 'to go on', octets: '' }
    this.#unreported.delete(reply)
    if (octets !== '')
      this.#context.emit({ type: 'received', url: this.#context.url, octets: this.#secrets.masked(octets) })
    return verb
  }

  /** Returns the words of a reply for people. Masks secrets, even if the fetcher reads values from the reply. */
  shown({ code, text }: Reply): string {
    return wordsOf({ code, text: this.#secrets.masked(text) })
  }

  ask(phase: Phase, command: string): Promise<Reply> {
    return this.wait(phase, this.post(command))
  }

  /** Collects the commands of `post` into one write; writev is five times slower. */
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

  /** Sends a command that moves data over a separate connection. */
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

  /** Stops waiting for replies: the server has thrown these commands away. */
  forget(): void {
    this.hasForgotten = true
    this.#queue.forget()
  }

  /** Sends QUIT if the server still listens, and closes without waiting for the reply. */
  end(): void {
    if (this.#over) return
    if (!this.isUsable || this.#context.deadline.reason !== null) {
      this.close()
      return
    }
    this.#over = true
    this.send('QUIT')
    // Frees the socket as soon as the kernel has taken the QUIT.
    this.socket.destroySoon()
  }

  override close(): void {
    this.#over = true
    clearTimeout(this.#strayTimer)
    // Closes TLS before the socket below it: in the other order, Node 20 can crash with a segmentation fault.
    this.handshake?.destroy()
    super.close()
  }

  override closeWithError(error: Error): void {
    this.#isOpen = false
    this.#closedBy ??= error
    super.closeWithError(error)
  }

  /**
   * Sends every command. Refuses one that would be two commands or does not consist of octets, whatever others have
   * checked. basic-ftp sends QUIT whenever it closes a socket, even a broken one; this drops that QUIT.
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
      this.#context.deadline.look()
      this.#context.emit({ type: 'sent', url: this.#context.url, octets: shown })
      this.#context.stopwatch?.requested()
    }
    if (this.#outbox === null) this.socket.write(octets, 'latin1')
    else this.#outbox += octets
  }

  /** Sends a command, and returns what events may show of it. */
  #say(command: string): string {
    this.checkQuiet()
    if (!this.isUsable) throw this.#lost(this.#closedBy ?? new Error('closed'))
    this.send(command)
    if (!this.#queue.isEmpty) this.pipelined = true
    return verbOf(command)
  }

  /**
   * Takes over a socket, and passes only whole replies to basic-ftp's listener. Its parser loses the rest of a reply
   * that is split across segments: it would read `227 Entering (127,0,0,1,40,12` + `3)` as port 10252.
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

  /** Handles what basic-ftp has parsed, or why it closed the connection. */
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
    // An unexpected reply. basic-ftp would drop it, or take the next reply for the answer to the wrong command.
    if (verb === undefined) {
      this.#fail(code === 421 ? refusedByServer(this.#context, reply, 'to go on') : this.#desync(wordsOf(reply)))
      return
    }
    this.#unreported.set(reply, { verb, octets: this.#octets })
    this.#queue.deliver(reply)
  }

  /** Limits the time after a stray line: a server of another protocol may send nothing more. */
  #watchStray(): void {
    const { strayLine } = this.#assembler
    if (strayLine === undefined) clearTimeout(this.#strayTimer)
    else this.#strayTimer ??= setTimeout(() => this.#fail(noServer(this.#context, strayLine)), strayPatience).unref()
  }

  /** Makes the error for a 229 in place of a transfer's reply. 229 answers EPSV; the transfer before it may be lost. */
  #overtake(): RetrievalError {
    this.transferDropped = true
    return this.#context.error('partial', 'The server broke off the transfer for the command after it; try again.')
  }

  /** Closes the connection, since replies may no longer match commands, so that nothing more is sent. */
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
