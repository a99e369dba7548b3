import type { Socket } from 'node:net'
import { TLSSocket } from 'node:tls'
import type { Phase, RetrievalError } from '@retriever/core'
import { FTPContext, FTPError, type FTPResponse } from 'basic-ftp'
import type { RetrievalContext } from '../../plugin/fetcher.ts'
import { encodeCommand, Secrets, verbOf } from './command.ts'
import { controlLost, outOfStep } from './control-errors.ts'
import { tlsWanted, wantsTls } from './refusal-words.ts'
import { isPassive, isRead, type Reply, readReply, refusedByServer, wordsOf } from './replies.ts'
import { noServer, ReplyAssembler } from './reply-assembler.ts'
import { ReplyQueue } from './reply-queue.ts'

/** How often a greeting may be put off. */
const maxWaits = 10

/** How long a server that has said a line of text may take to greet. */
const strayPatience = 5000

/** A command that moves data: one reply when the move begins, or is refused, and one when it is over. */
export interface Exchange {
  readonly first: Promise<Reply>
  /** The same one where `first` is a refusal. */
  readonly last: Promise<Reply>
}

/**
 * The control connection: basic-ftp's context (sockets, TLS session, reply parser) with our own two doors. Going out, every command
 * passes `send`. Coming in, only whole replies reach basic-ftp's parser, which loses a reply that is split across segments and
 * takes `227 Entering (127,0,0,1,40,12` + `3)` for port 10252. Its tasks, one at a time, give way to a queue: commands are
 * pipelined. Time is the deadline's alone: basic-ftp's timeout stays off.
 *
 * It may outlive the retrieval for which it was opened: `attach` and `detach` say whose it is.
 */
export class Control extends FTPContext {
  #context: RetrievalContext
  #attached = true
  readonly #assembler: ReplyAssembler
  readonly #queue = new ReplyQueue()
  readonly #secrets = new Secrets()
  #failure: RetrievalError | undefined
  #over = false
  #stray: NodeJS.Timeout | undefined
  /** What goes out together; null: each command by itself. */
  #outbox: string | null = null
  /** Of the reply that basic-ftp parses at this moment. */
  #octets = ''
  /** What is to be told of a reply once somebody takes it: in the order of the dialogue, whatever the segments were. */
  readonly #untold = new WeakMap<Reply, { readonly verb: string; readonly octets: string }>()
  /** Commands have been sent before earlier ones were answered. */
  pipelined = false
  /** It was concluded from silence that the server has thrown commands away: a reply may still be one to those. */
  hasForgotten = false
  /** Octets FF are doubled on this connection. */
  isTelnet = true
  /** TLS that is being agreed on, over `socket`. */
  handshake: Socket | undefined
  /** The reply to a later command came in place of a transfer's. */
  transferDropped = false

  /** Takes over a connected socket. Its first reply must be asked for in the same turn. */
  constructor(context: RetrievalContext, socket: Socket) {
    super(0, 'latin1')
    this.#context = context
    this.#assembler = new ReplyAssembler(
      () => this.#context,
      (octets) => this.#secrets.masked(octets),
    )
    this.socket = socket
  }

  /** Whether a dialogue can go on here. */
  get isUsable(): boolean {
    return !this.#over && this.#failure === undefined && this._closingError === undefined && !this.socket.destroyed
  }

  /** Another retrieval's from now on. */
  attach(context: RetrievalContext): void {
    this.#context = context
    this.#attached = true
    this.hasForgotten = false
    this.socket.ref()
  }

  /** Nobody's: what is received now is of no dialogue, and an idle connection does not keep the process alive. */
  detach(): void {
    this.#attached = false
    this.socket.unref()
  }

  /**
   * Throws `protocol-violation` where more has come than was asked for, if only a part of a reply; empty lines are of none. The first
   * command of a flight checks it.
   */
  checkQuiet(): void {
    const { rest } = this.#assembler
    if (rest.trim() !== '' && this.#queue.isEmpty) this.#fail(this.#desync(rest))
    if (this.#failure !== undefined) throw this.#failure
  }

  /** Whoever takes the socket into TLS checks that nothing at all has come in the clear that would be read as if it had come in TLS. */
  checkSilent(): void {
    const { rest } = this.#assembler
    if (rest !== '') this.#fail(this.#desync(rest))
    this.checkQuiet()
  }

  /** Waits for the greeting. RFC 959 5.4: `120 Service ready in nnn minutes` may come before it. */
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

  /** Sends a command, whose one reply is to be waited for; or not. */
  post(command: string): Promise<Reply> {
    return this.#queue.expect(this.#say(command), () => true)
  }

  /** The same behind a transfer command, before that is over. */
  postBehind(command: string): Promise<Reply> {
    return this.#queue.expect(this.#say(command), (reply) => {
      // It begins a transfer: the reply before this one was not that transfer's.
      if (reply.code < 200) throw this.#overtake()
      return true
    })
  }

  /**
   * Waits for the reply to what was posted; silence is limited, not the wait for those before it. Rejects with `server-refused` for
   * 421 (RFC 959 5.4: anything may be answered so, after which the server closes), `receive-failed` where the connection ends,
   * `protocol-violation` where what comes is no reply, or more than one.
   */
  async wait(phase: Phase, pending: Promise<Reply>): Promise<Reply> {
    // Where the retrieval has ended already, nobody else meets it, and it would end the process.
    pending.catch(() => {})
    const reply = await this.#context.deadline.within(phase, () => pending)
    const verb = this.tell(reply)
    if (reply.code === 421) throw this.#closing(reply, verb)
    return reply
  }

  /** pure-ftpd closes the connection on a login in the clear. */
  #closing(reply: Reply, verb: string): RetrievalError {
    const isLogin = verb === 'USER' || verb === 'PASS'
    const isRefused = isLogin && !(this.socket instanceof TLSSocket) && wantsTls(reply)
    return refusedByServer(this.#context, reply, verb, isRefused ? tlsWanted : {})
  }

  /** Tells of a reply that was got in another way than by `wait`. Returns what it was said to. */
  tell(reply: Reply): string {
    const { verb, octets } = this.#untold.get(reply) ?? { verb: 'to go on', octets: '' }
    this.#untold.delete(reply)
    if (octets !== '')
      this.#context.emit({ type: 'received', url: this.#context.url, octets: this.#secrets.masked(octets) })
    return verb
  }

  /** The words of a reply, for people: also of one that is read. */
  said({ code, text }: Reply): string {
    return wordsOf({ code, text: this.#secrets.masked(text) })
  }

  ask(phase: Phase, command: string): Promise<Reply> {
    return this.wait(phase, this.post(command))
  }

  /** What is posted within goes out in one segment: in one write, since writev costs five times as much. */
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
    let begin: (reply: Reply) => void = () => {}
    const begun = new Promise<Reply>((resolve) => {
      begin = resolve
    })
    let isBegun = false
    const last = this.#queue.expect(this.#say(command), (reply) => {
      if (isPassive(reply)) throw this.#overtake()
      if (reply.code >= 200) return true
      if (isBegun) throw this.#desync(wordsOf(reply))
      isBegun = true
      begin(reply)
      return false
    })
    const first = Promise.race([begun, last])
    first.catch(() => {})
    return { first, last }
  }

  /** The server has thrown away the commands that are not answered yet. */
  forget(): void {
    this.hasForgotten = true
    this.#queue.forget()
  }

  /** Says QUIT where the server still listens, and closes without waiting for an answer. */
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
    clearTimeout(this.#stray)
    // TLS before what it stands on: the other way round, Node 20 can end the process by a segmentation fault.
    this.handshake?.destroy()
    super.close()
  }

  /** The one door for commands: what would be two, or is no octets, is refused here, whatever was checked before. */
  override send(command: string): void {
    const octets = encodeCommand(command, this.isTelnet)
    if (octets === undefined) {
      throw this.#context.error('refused', 'A command holds CR, LF, NUL or a character that is no octet.', {
        phase: 'policy',
      })
    }
    const shown = this.#secrets.shown(command)
    if (this.#attached) this.#context.emit({ type: 'sent', url: this.#context.url, octets: shown })
    if (this.#outbox === null) this.socket.write(octets, 'latin1')
    else this.#outbox += octets
  }

  /** Sends a command whose reply is to be waited for, and gives what may be shown of it. */
  #say(command: string): string {
    this.checkQuiet()
    if (!this.isUsable) throw this.#lost(this._closingError ?? new Error('closed'))
    this.send(command)
    if (!this.#queue.isEmpty) this.pipelined = true
    return verbOf(command)
  }

  protected override _onControlSocketData(chunk: string): void {
    if (this.#over) return
    try {
      for (const octets of this.#assembler.push(chunk)) {
        this.#octets = octets
        super._onControlSocketData(octets)
        if (this.#failure !== undefined) return
      }
      this.#watchStray()
    } catch (error) {
      this.#fail(error as RetrievalError)
    }
  }

  protected override _passToHandler(response: Error | FTPResponse): void {
    if (response instanceof Error && !(response instanceof FTPError)) {
      this.#queue.fail(this.#failure ?? this.#lost(response))
      return
    }
    const { code, text } = readReply(response)
    const { verb } = this.#queue
    const reply: Reply = { code, text: isRead(verb, code) ? text : this.#secrets.masked(text) }
    // basic-ftp would drop a reply that nobody waits for, and take the next one for the answer to the wrong command.
    if (verb === undefined) {
      this.#fail(code === 421 ? refusedByServer(this.#context, reply, 'to go on') : this.#desync(wordsOf(reply)))
      return
    }
    this.#untold.set(reply, { verb, octets: this.#octets })
    this.#queue.take(reply)
  }

  /** What is no FTP server may never say more than it has. */
  #watchStray(): void {
    const { strayLine } = this.#assembler
    if (strayLine === undefined) clearTimeout(this.#stray)
    else this.#stray ??= setTimeout(() => this.#fail(noServer(this.#context, strayLine)), strayPatience).unref()
  }

  /** 229 is no answer to a transfer command: the server has answered the EPSV behind it, and may have dropped the transfer. */
  #overtake(): RetrievalError {
    this.transferDropped = true
    return this.#context.error('partial', 'The server broke off the transfer for the command after it; try again.')
  }

  /** The state of the dialogue is not known any more: nothing is sent, everything is closed. */
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

  /** basic-ftp would say QUIT here, in whatever state the dialogue is. */
  protected override _closeControlSocket(): void {
    this._closeSocket(this._socket)
  }
}
