import type { Socket } from 'node:net'
import { type Phase, printable, RetrievalError } from '@retriever/core'
import { FTPContext, FTPError, type FTPResponse, type TaskResolver } from 'basic-ftp'
import type { RetrievalContext } from '../fetcher.ts'
import { receiveError } from '../wire/socket-error.ts'
import { type Reply, readReply, refused, violation, wordsOf } from './replies.ts'
import { ReplyAssembler } from './reply-assembler.ts'

/** A command that moves data: one reply when the move begins, or is refused, and one when it is over. */
export interface Exchange {
  readonly first: Reply
  /** The same one where `first` is a refusal. */
  readonly last: Promise<Reply>
}

/**
 * The control connection: basic-ftp's context (socket, task, reply parser) with our own two doors. Going out, every command
 * passes `send`. Coming in, only whole replies reach basic-ftp's parser, which loses a reply that is split across segments and
 * takes `227 Entering (127,0,0,1,40,12` + `3)` for port 10252. Time is the deadline's alone: basic-ftp's timeout stays off.
 */
export class Control extends FTPContext {
  readonly #context: RetrievalContext
  readonly #assembler: ReplyAssembler
  /** The password, once it has been sent: the server may repeat it then and later. */
  #secret: string | undefined
  /** Its PASS is under way. */
  #passing = false
  #failure: RetrievalError | undefined
  #over = false

  /** Takes over a connected socket. Its first reply must be asked for in the same turn. */
  constructor(context: RetrievalContext, socket: Socket) {
    super(0, 'latin1')
    this.#context = context
    this.#assembler = new ReplyAssembler(context, (octets) => this.#masked(octets))
    this.socket = socket
  }

  /**
   * Throws `protocol-violation` where more has come than was asked for, if only a part of a reply. Every command checks it, and
   * so must whoever takes the socket into TLS.
   */
  checkQuiet(): void {
    const rest = this.#assembler.rest
    if (rest !== '') this.#fail(this.#desync(rest))
    if (this.#failure !== undefined) throw this.#failure
  }

  /** Waits for the greeting. RFC 959 5.4: `120 Service ready in nnn minutes` may come before it. */
  greeting(): Promise<Reply> {
    return this.#within('greeting', 'the connection', () =>
      this.#task(undefined, (reply, task) => {
        if (reply.code !== 120) task.resolve(reply)
      }),
    )
  }

  /**
   * Sends a command and gives its one reply. Rejects with `server-refused` for 421, `receive-failed` where the connection ends,
   * `protocol-violation` where what comes is no reply, or more than one.
   */
  ask(phase: Phase, command: string): Promise<Reply> {
    return this.#within(phase, verbOf(command), () => this.#task(command, (reply, task) => task.resolve(reply)))
  }

  /** Sends a command that moves data over a connection of its own. Rejects as `ask` does, where nothing has begun. */
  async begin(command: string): Promise<Exchange> {
    let last: Promise<Reply> | undefined
    const first = await this.#within('request', verbOf(command), () => {
      return new Promise<Reply>((resolve, reject) => {
        let begun = false
        last = this.#task(command, (reply, task) => {
          if (reply.code >= 200) task.resolve(reply)
          else if (begun) task.reject(this.#desync(wordsOf(reply)))
          else resolve(reply)
          begun = true
        })
        // Either is also the first one, if it is the only one. And a rejection is met here, however late somebody awaits it.
        last.then(resolve, reject)
      })
    })
    return { first, last: last ?? Promise.resolve(first) }
  }

  /** Says QUIT where the dialogue is in order, and closes without waiting for an answer. */
  end(): void {
    if (this.#over) return
    const orderly = this._task === undefined && this._closingError === undefined && !this.socket.destroyed
    if (!orderly || this.#context.deadline.signal.aborted) {
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
    super.close()
  }

  /**
   * The one door for commands. A string holds one octet a character. CR, LF, NUL, and what is no octet, are refused here, whatever
   * was checked before: latin1 would make an LF of U+010A. FF is Telnet's IAC, and is doubled (RFC 959 5.3, RFC 854).
   */
  override send(command: string): void {
    if (/[\r\n\0]|[^\0-\xFF]/.test(command)) {
      throw this.#context.error('refused', 'A command holds CR, LF, NUL or a character that is no octet.', {
        phase: 'policy',
      })
    }
    const octets = `${doubled(command)}\r\n`
    const isSecret = command.startsWith('PASS ')
    this.#passing = isSecret
    if (isSecret) this.#secret = command.slice('PASS '.length)
    this.#context.emit({ type: 'sent', url: this.#context.url, octets: isSecret ? 'PASS <password>\r\n' : octets })
    this.socket.write(octets, 'latin1')
  }

  async #task(command: string | undefined, onReply: (reply: Reply, task: TaskResolver) => void): Promise<Reply> {
    this.checkQuiet()
    return this.handle(command, (response, task) => {
      const reply = this.#readReply(response)
      if (reply === undefined) task.reject(this.#lost(response))
      else onReply(reply, task)
    })
  }

  #readReply(response: Error | FTPResponse): Reply | undefined {
    if (response instanceof Error && !(response instanceof FTPError)) return undefined
    const { code, text } = readReply(response)
    // What is read for what it says stays as it is: the password may be `2`, and a port hold one.
    return { code, text: this.#passing || code >= 400 ? this.#masked(text) : text }
  }

  /** Servers repeat a command that they do not understand: `500 'PASS secret': command not understood`. */
  #masked(octets: string): string {
    if (!this.#secret) return octets
    return octets.replaceAll(doubled(this.#secret), '<password>').replaceAll(this.#secret, '<password>')
  }

  /** RFC 959 5.4: anything may be answered by 421, after which the server closes. */
  async #within(phase: Phase, what: string, operation: () => Promise<Reply>): Promise<Reply> {
    const reply = await this.#context.deadline.within(phase, operation)
    if (reply.code === 421) throw refused(this.#context, reply, what)
    return reply
  }

  protected override _onControlSocketData(chunk: string): void {
    if (this.#over) return
    try {
      for (const reply of this.#assembler.push(chunk)) {
        this.#context.emit({ type: 'received', url: this.#context.url, octets: this.#masked(reply) })
        super._onControlSocketData(reply)
        if (this.#failure !== undefined) return
      }
    } catch (error) {
      this.#fail(error as RetrievalError)
    }
  }

  protected override _passToHandler(response: Error | FTPResponse): void {
    if (this._task !== undefined || this.#over) {
      super._passToHandler(response)
      return
    }
    const reply = this.#readReply(response)
    // basic-ftp would drop a reply that nobody waits for, and take the next one for the answer to the wrong command.
    if (reply !== undefined)
      this.#fail(reply.code === 421 ? refused(this.#context, reply, 'to go on') : this.#desync(wordsOf(reply)))
  }

  /** The state of the dialogue is not known any more: nothing is sent, everything is closed. */
  #fail(error: RetrievalError): void {
    this.#failure ??= error
    this.closeWithError(error)
  }

  #desync(words: string): RetrievalError {
    const shown = printable(this.#masked(words)).slice(0, 300)
    const message = `The server sent a reply to no command ("${shown}"); the connection was closed.`
    return violation(this.#context, message, shown)
  }

  #lost(cause: Error | FTPResponse): RetrievalError {
    if (RetrievalError.is(cause)) return cause
    if (cause instanceof Error && 'code' in cause && cause.code !== '0') return receiveError(this.#context, cause)
    const within = this.#assembler.rest === '' ? '' : ' within a reply'
    return this.#context.error('receive-failed', `The server closed the control connection${within}; try again.`, {
      cause,
    })
  }

  /** basic-ftp would say QUIT here, in whatever state the dialogue is. */
  protected override _closeControlSocket(): void {
    this._closeSocket(this._socket)
  }
}

function doubled(octets: string): string {
  return octets.replaceAll('\xFF', '\xFF\xFF')
}

/** What may be shown of any command: its argument may be a password. */
function verbOf(command: string): string {
  return command.split(' ')[0] ?? command
}
