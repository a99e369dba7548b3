import type { RetrievalError } from '@retriever/core'
import type { RetrievalContext } from '../../../contract/fetcher.ts'
import { type Reply, violation } from './replies.ts'

const maxStrayLines = 10

/** Whether a line is plain text: not the greeting of SSH, HTTP, POP, IMAP, VNC or rsync, and not JSON or XML. */
function isProse(line: string): boolean {
  return /^[\t\x20-\x7E\x80-\xFF]*$/.test(line) && !/^(?:SSH-|HTTP\/|\+OK|-ERR|\* |RFB |@RSYNCD|[<{[])/.test(line)
}

/** Makes the error for a line that is no reply. `words` is its beginning, without secrets. */
export function noServer(context: RetrievalContext, words: string): RetrievalError {
  const message = 'What answers is not an FTP server, or breaks the protocol. Check host and port.'
  return violation(context, message, words)
}

/**
 * Assembles whole replies from octets in segments of any size. A reply is `220 text`, or `220-text`, any lines, `220
 * text` (RFC 959 4.2). Inner lines may begin with anything, even with other digits.
 */
export class ReplyAssembler {
  readonly #context: () => RetrievalContext
  readonly #masked: (octets: string) => string
  readonly #maxReply: number
  /** The lines of text before the greeting. Null: the greeting has come. */
  #strayLines: string[] | null = []
  /** The current line, and the lines of the current reply. */
  #line = ''
  #lines = ''
  #code: string | undefined

  /** `masked` removes secrets from a line that an error shows. */
  constructor(context: () => RetrievalContext, masked: (octets: string) => string) {
    this.#context = context
    this.#masked = masked
    // A higher limit than basic-ftp's own 64 KiB has no effect.
    this.#maxReply = Math.min(context().limits.maxReply, 65_536)
  }

  /** The part of an incomplete reply that has arrived. */
  get rest(): string {
    return this.#lines + this.#line
  }

  /** The first line of text, until the greeting comes. */
  get strayLine(): string | undefined {
    return this.#strayLines?.[0]
  }

  /** Yields the replies that these octets complete, with line ends. Throws `limit-exceeded` or `protocol-violation`. */
  *push(octets: string): Generator<string, void, void> {
    const lines = (this.#line + octets).split('\n')
    this.#line = lines.pop() ?? ''
    for (const line of lines) {
      this.#check(line)
      if (this.#endsReply(line.replace(/\r$/, ''))) yield this.#take()
    }
    this.#check(this.#line)
    if (this.#lines.length + this.#line.length > this.#maxReply) throw this.#tooLong('a reply', this.#maxReply)
  }

  #check(line: string): void {
    const { maxLine } = this.#context().limits
    if (line.length > maxLine) throw this.#tooLong('a line', maxLine)
  }

  #endsReply(line: string): boolean {
    const raw = `${line}\r\n`
    if (this.#lines.length + raw.length > this.#maxReply) throw this.#tooLong('a reply', this.#maxReply)
    this.#lines += raw
    if (this.#code !== undefined) return line === this.#code || line.startsWith(`${this.#code} `)
    // Some servers put empty lines between their replies.
    if (line.trim() === '') return false
    const [, code, mark] = /^([1-5]\d\d)(?:([ -])|$)/.exec(line) ?? []
    if (code === undefined) {
      if (this.#isStray(line)) return false
      throw noServer(this.#context(), this.#masked(line))
    }
    this.#strayLines = null
    if (mark === '-') this.#code = code
    return mark !== '-'
  }

  /**
   * Whether the line is text before the greeting, as programs send that inetd starts. curl, wget and lftp skip it, too.
   */
  #isStray(line: string): boolean {
    if (this.#strayLines === null || this.#strayLines.length === maxStrayLines || !isProse(line)) return false
    this.#strayLines.push(line)
    this.#lines = ''
    return true
  }

  #take(): string {
    const reply = this.#lines
    this.#lines = ''
    this.#code = undefined
    return reply
  }

  #tooLong(what: string, limit: number): Error {
    return this.#context().error('limit-exceeded', `The server sent ${what} of over ${limit} octets.`)
  }
}

/** A command whose reply is awaited. */
interface Waiter {
  readonly verb: string
  /** Takes a reply. Returns true if it was the last one to its command. */
  deliver(reply: Reply): boolean
  fail(error: RetrievalError): void
}

/**
 * The commands that are not answered yet. A command may be sent before earlier ones are answered; replies come in
 * order.
 */
export class ReplyQueue {
  readonly #waiters: Waiter[] = []
  /** The replies that have arrived, by the promise that each settles. */
  readonly #arrived = new WeakMap<Promise<Reply>, Reply>()

  get isEmpty(): boolean {
    return this.#waiters.length === 0
  }

  /** The command that gets the next reply. */
  get verb(): string | undefined {
    return this.#waiters[0]?.verb
  }

  /**
   * Resolves with the reply for which `isLast` returns true. `isLast` gets every reply to the command, and `deliver`
   * throws its errors.
   */
  expect(verb: string, isLast: (reply: Reply) => boolean): Promise<Reply> {
    const pending = new Promise<Reply>((resolve, fail) => {
      const deliver = (reply: Reply): boolean => {
        const over = isLast(reply)
        if (over) {
          this.noteArrival(pending, reply)
          resolve(reply)
        }
        return over
      }
      this.#waiters.push({ verb, fail, deliver })
    })
    // Avoids an unhandledRejection. The caller that awaits it still gets the error.
    pending.catch(() => {})
    return pending
  }

  /** Notes that the reply settles the promise. */
  noteArrival(pending: Promise<Reply>, reply: Reply): void {
    this.#arrived.set(pending, reply)
  }

  /** Returns the reply that settles the promise. Undefined if it has not come, or the promise is of another kind. */
  arrived(pending: Promise<Reply>): Reply | undefined {
    return this.#arrived.get(pending)
  }

  /** Gives a reply to the oldest command. There must be one. */
  deliver(reply: Reply): void {
    const waiter = this.#waiters[0]
    // The handler may have closed the connection, which empties the queue.
    if (waiter?.deliver(reply) && this.#waiters[0] === waiter) this.#waiters.shift()
  }

  /** Removes these commands, since the server has thrown them away. The next reply answers the next command. */
  forget(): void {
    this.#waiters.length = 0
  }

  /** Rejects every command, since no reply will come. */
  fail(error: RetrievalError): void {
    for (const waiter of this.#waiters.splice(0)) waiter.fail(error)
  }
}
