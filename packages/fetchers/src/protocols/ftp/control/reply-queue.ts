import type { RetrievalError } from '@retriever/core'
import type { RetrievalContext } from '../../../contract/fetcher.ts'
import { type Reply, violation } from './replies.ts'

const maxStrayLines = 10

/** Whether a line is plain text: not the greeting of SSH, HTTP, POP, IMAP, VNC or rsync, and not JSON or XML. */
function isProse(line: string): boolean {
  return /^[\t\x20-\x7E\x80-\xFF]*$/.test(line) && !/^(?:SSH-|HTTP\/|\+OK|-ERR|\* |RFB |@RSYNCD|[<{[])/.test(line)
}

/** The error for a line that is no reply. `words` is its beginning, without secrets. */
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
  /** The lines of text before the greeting; null: the greeting has come. */
  #strayLines: string[] | null = []
  /** The current line, and the lines of the current reply. */
  #line = ''
  #lines = ''
  #code: string | undefined

  /** `masked` removes secrets from a line that an error shows. */
  constructor(context: () => RetrievalContext, masked: (octets: string) => string) {
    this.#context = context
    this.#masked = masked
    // basic-ftp has a limit of its own, 64 KiB: a higher one has no effect.
    this.#maxReply = Math.min(context().limits.maxReply, 65_536)
  }

  /** The received part of a reply that is not complete. */
  get rest(): string {
    return this.#lines + this.#line
  }

  /** The first line of text, while the greeting has not come. */
  get strayLine(): string | undefined {
    return this.#strayLines?.[0]
  }

  /** The replies that these octets complete, line ends included. Throws `limit-exceeded` or `protocol-violation`. */
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
   * Whether the line is one of text before the greeting, as programs started by inetd send. curl, wget and lftp skip
   * it, too.
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
  /** Takes a reply; true: it was the last one to its command. */
  deliver(reply: Reply): boolean
  fail(error: RetrievalError): void
}

/**
 * The commands that are not answered yet. Commands may be sent before earlier ones are answered; replies come in their
 * order.
 */
export class ReplyQueue {
  readonly #waiters: Waiter[] = []
  /** The replies that have come, by the promise that each settles. */
  readonly #arrived = new WeakMap<Promise<Reply>, Reply>()

  get isEmpty(): boolean {
    return this.#waiters.length === 0
  }

  /** The command whose reply comes next. */
  get verb(): string | undefined {
    return this.#waiters[0]?.verb
  }

  /**
   * Resolves with the reply for which `isLast` returns true. `isLast` gets every reply to the command, and its errors
   * are thrown by `deliver`.
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
    // Avoids an unhandledRejection; the caller that awaits it still sees the error.
    pending.catch(() => {})
    return pending
  }

  /** Notes that the reply settles the promise. */
  noteArrival(pending: Promise<Reply>, reply: Reply): void {
    this.#arrived.set(pending, reply)
  }

  /** The reply that settles the promise; undefined: it has not come, or the promise is of another kind. */
  arrived(pending: Promise<Reply>): Reply | undefined {
    return this.#arrived.get(pending)
  }

  /** Gives a reply to the oldest command. There must be one. */
  deliver(reply: Reply): void {
    const waiter = this.#waiters[0]
    // The handler may have closed the connection and emptied the queue.
    if (waiter?.deliver(reply) && this.#waiters[0] === waiter) this.#waiters.shift()
  }

  /** Removes these commands, which the server has thrown away: the next reply answers the next command. */
  forget(): void {
    this.#waiters.length = 0
  }

  /** Rejects every command: no reply will come. */
  fail(error: RetrievalError): void {
    for (const waiter of this.#waiters.splice(0)) waiter.fail(error)
  }
}
