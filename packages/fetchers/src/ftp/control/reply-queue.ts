import type { RetrievalError } from '@retriever/core'
import type { RetrievalContext } from '../../plugin/fetcher.ts'
import { type Reply, violation } from './replies.ts'

const maxStrayLines = 10

/** Text, and not the greeting of SSH, HTTP, POP, IMAP, VNC, rsync or a program that speaks JSON or XML. */
function isProse(line: string): boolean {
  return /^[\t\x20-\x7E\x80-\xFF]*$/.test(line) && !/^(?:SSH-|HTTP\/|\+OK|-ERR|\* |RFB |@RSYNCD|[<{[])/.test(line)
}

/** The error for what is no reply: the first words, with secrets blotted out. */
export function noServer(context: RetrievalContext, words: string): RetrievalError {
  const message = 'What answers is not an FTP server, or breaks the protocol. Check host and port.'
  return violation(context, message, words)
}

/**
 * Whole replies out of octets, the same whatever the segments were. RFC 959 4.2: `220 text`, or `220-text`, any lines, `220 text`.
 * Inner lines may begin with anything, other digits too.
 */
export class ReplyAssembler {
  readonly #context: () => RetrievalContext
  readonly #masked: (octets: string) => string
  readonly #maxReply: number
  /** Lines of text before the greeting; null: it has come. */
  #strayLines: string[] | null = []
  /** The line under way, and the lines of the reply under way. */
  #line = ''
  #lines = ''
  #code: string | undefined

  /** `masked` takes secrets out of what is shown of a line that is no reply. */
  constructor(context: () => RetrievalContext, masked: (octets: string) => string) {
    this.#context = context
    this.#masked = masked
    // basic-ftp's own limit is 64 KiB; a higher one of the caller's has no effect.
    this.#maxReply = Math.min(context().limits.maxReply, 65_536)
  }

  /** What has come of a reply that is not whole yet. */
  get rest(): string {
    return this.#lines + this.#line
  }

  /** The first line of text that has come in place of a greeting, which may still come. */
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

  /** Some servers say a line before they greet, as programs do that are started by inetd (curl, wget and lftp pass over it, too). */
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

/** Who waits for the next reply. */
interface Waiter {
  readonly verb: string
  /** Returns whether that was the last reply to its command. */
  deliver(reply: Reply): boolean
  fail(error: RetrievalError): void
}

/** The commands that are not answered yet. They may be sent before earlier ones are answered; replies come in their order. */
export class ReplyQueue {
  readonly #waiters: Waiter[] = []

  get isEmpty(): boolean {
    return this.#waiters.length === 0
  }

  /** The command whose reply comes next. */
  get verb(): string | undefined {
    return this.#waiters[0]?.verb
  }

  /** The reply that `isLast` takes for the last one; it sees them all. What it throws passes through `take`. */
  expect(verb: string, isLast: (reply: Reply) => boolean): Promise<Reply> {
    const pending = new Promise<Reply>((resolve, fail) => {
      const deliver = (reply: Reply): boolean => {
        const over = isLast(reply)
        if (over) resolve(reply)
        return over
      }
      this.#waiters.push({ verb, fail, deliver })
    })
    // Met where it is awaited, which may be later, or never.
    pending.catch(() => {})
    return pending
  }

  /** Hands a reply to whoever waits for it; somebody must. */
  deliver(reply: Reply): void {
    const waiter = this.#waiters[0]
    // Taking it may have ended the dialogue, and emptied the queue.
    if (waiter?.deliver(reply) && this.#waiters[0] === waiter) this.#waiters.shift()
  }

  /** The server has not heard these commands: what comes next is the reply to the next one. */
  forget(): void {
    this.#waiters.length = 0
  }

  /** No reply comes any more. */
  fail(error: RetrievalError): void {
    for (const waiter of this.#waiters.splice(0)) waiter.fail(error)
  }
}
