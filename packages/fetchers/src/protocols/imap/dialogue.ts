import { type ErrorCode, octetsToText, type Phase, printable, type RetrievalError } from '@retriever/core'
import type { RetrievalContext } from '../../contract/fetcher.ts'
import { whenHeld } from '../../kit/limits.ts'
import { overHeld } from '../../kit/size-limit.ts'
import { LineReader } from '../../wire/framing/lines.ts'
import { ConnectionDialogue } from '../../wire/pool/connection-dialogue.ts'
import type { Connection } from '../../wire/transport/connection.ts'

/** The end of a command (RFC 3501 7.1): OK, NO or BAD, and words. */
export interface Completion {
  readonly status: 'OK' | 'NO' | 'BAD'
  /** One octet a character. */
  readonly text: string
}

/** A response of the server. Literals in it have become quoted strings. */
export type Response = { readonly untagged: string } | { readonly completion: Completion }

interface Asking {
  /** What events show in place of a command that holds a secret. */
  readonly shown?: string
  /**
   * A secret line. It is sent after the server asks for it by `+` (RFC 3501 7.5); a server that refuses does not get
   * it.
   */
  readonly second?: string | undefined
  /** Lines that begin with a literal. Each is sent after the server asks for it by `+`. */
  readonly literals?: readonly string[]
  readonly onUntagged?: (text: string) => void
}

/** The codes that only the refused command suggests. */
const guessed: ReadonlySet<ErrorCode> = new Set(['auth-failed', 'not-found', 'server-refused'])

/** What response codes say (RFC 5530 3). If a part of the server is down, neither the login nor the name is wrong. */
const reasons: Readonly<Record<string, { readonly code: ErrorCode; readonly passes?: true }>> = {
  UNAVAILABLE: { code: 'server-refused', passes: true },
  INUSE: { code: 'server-refused', passes: true },
  LIMIT: { code: 'server-refused' },
  SERVERBUG: { code: 'server-refused' },
  CORRUPTION: { code: 'server-refused' },
  NOPERM: { code: 'access-denied' },
}

/**
 * Sends commands and reads responses on one IMAP connection (RFC 3501): one command at a time, for one retrieval after
 * the other.
 */
export class ImapDialogue extends ConnectionDialogue<LineReader> {
  #tag = 0
  /** How many octets the untagged responses since the last command have. */
  #untagged = 0

  constructor(connection: Connection, context: RetrievalContext) {
    super(connection, context, LineReader)
  }

  /** Sends a command. Events show `shown` in place of one with a secret. */
  async send(command: string, shown: string = command): Promise<void> {
    const tag = `A${++this.#tag}`
    this.isAsking = true
    this.#untagged = 0
    await this.connection.sendLine(`${tag} ${command}`, `${tag} ${shown}`)
  }

  /** Sends a command and returns its end. `onUntagged` gets the other responses, without `* `. */
  async ask(phase: Phase, command: string, asking: Asking = {}): Promise<Completion> {
    const { shown = command, second, literals = [], onUntagged } = asking
    const left = [...literals]
    await this.send(command, shown)
    let awaited = second
    while (true) {
      const line = await this.line(phase)
      if (/^\+(?: |$)/.test(line)) {
        const literal = left.shift()
        if (literal !== undefined) {
          await this.connection.sendMessage(`${literal}\r\n`)
          continue
        }
        if (awaited !== undefined) {
          await this.connection.sendLine(awaited, '<password>')
          awaited = undefined
          continue
        }
      }
      const response = await this.#whole(line, phase)
      if ('completion' in response) return response.completion
      onUntagged?.(response.untagged)
    }
  }

  /** Reads the next response. */
  async response(phase: Phase): Promise<Response> {
    return this.#whole(await this.line(phase), phase)
  }

  /** Reads the response that begins with this line. */
  async #whole(line: string, phase: Phase): Promise<Response> {
    let text = line
    for (let size = literalSize(text); size !== null; size = literalSize(text)) {
      const { maxReply } = this.context.limits
      if (text.length + size > maxReply) {
        throw this.context.error('limit-exceeded', `The server sent a response of over ${maxReply} octets.`, { phase })
      }
      const octets = await this.#octets(size, phase)
      const head = text.slice(0, text.lastIndexOf('{'))
      text = `${head}"${octets.replace(/["\\]/g, '\\$&').replace(/[\r\n]+/g, ' ')}"${await this.line(phase)}`
    }
    return this.read(text, phase)
  }

  /** Reads a response that is one line. */
  read(line: string, phase: Phase): Response {
    if (line.startsWith('* ')) {
      this.#count(line.length, phase)
      return { untagged: line.slice(2) }
    }
    const [, tag, status = '', text = ''] = /^(A\d+) (OK|NO|BAD)(?: (.*))?$/i.exec(line) ?? []
    const word = status.toUpperCase()
    if (tag === `A${this.#tag}` && (word === 'OK' || word === 'NO' || word === 'BAD')) {
      this.isAsking = false
      return { completion: { status: word, text } }
    }
    const words = wordsOf(this.hidden(line))
    const message = `The server answered "${words}", which is no response of this protocol. Check scheme and port.`
    throw this.context.error('protocol-violation', message, { phase, reply: words })
  }

  /** Limits untagged responses: a server may send them without end (RFC 3501 2.2.2), and a login needs few of them. */
  #count(length: number, phase: Phase): void {
    this.#untagged += length
    const { limits, error } = this.context
    if (this.#untagged > whenHeld(limits).maxListing) throw overHeld(this.context, 'answer', 'maxListing')
    if (phase !== 'login' || this.#untagged <= limits.maxReply) return
    const message = `The server sent over ${limits.maxReply} octets before it answered the login.`
    throw error('limit-exceeded', message, { phase, advice: { option: 'limits.maxReply' } })
  }

  /** Reads the next line, without the octets of a literal at its end. */
  async line(phase: Phase): Promise<string> {
    const line = await this.reader.line(phase)
    const { url, emit, error } = this.context
    if (line === null) {
      const message = 'The server closed the connection without an answer; try again.'
      throw error(phase === 'body' ? 'partial' : 'receive-failed', message, { phase, transient: true })
    }
    emit({ type: 'received', url, octets: `${this.hidden(line)}\r\n` })
    return line
  }

  async #octets(count: number, phase: Phase): Promise<string> {
    let text = ''
    while (text.length < count) {
      const chunk = await this.reader.read(phase)
      if (chunk === null) {
        const message = 'The connection ended within a response; try again.'
        throw this.context.error('receive-failed', message, { phase, transient: true })
      }
      const taken = chunk.subarray(0, count - text.length)
      if (taken.length < chunk.length) this.reader.unread(chunk.subarray(taken.length))
      text += Buffer.from(taken).toString('latin1')
    }
    return text
  }

  async startTls(peer: { readonly host: string; readonly port: number }): Promise<void> {
    const { status, text } = await this.ask('login', 'STARTTLS')
    if (status !== 'OK') throw this.refusal('tls-failed', 'The server does not begin TLS', text)
    await this.beginTls(peer)
  }

  /** Makes the error for a refusal. A code in brackets says more about the reason than the command that was refused. */
  refusal(code: ErrorCode, what: string, text: string): RetrievalError {
    const words = wordsOf(this.hidden(text))
    const [, named = ''] = /^\[([A-Z]+)\]/i.exec(text) ?? []
    const told = guessed.has(code) ? reasons[named.toUpperCase()] : undefined
    return this.context.error(told?.code ?? code, `${what}${words === '' ? '.' : `: ${words}`}`, {
      reply: words || 'NO',
      ...(told?.passes && { transient: true }),
    })
  }
}

/** Returns the size of the literal that a line announces at its end (RFC 3501 4.3). Null if it announces none. */
export function literalSize(line: string): number | null {
  const size = /\{(\d{1,15})\+?\}$/.exec(line)?.[1]
  return size === undefined ? null : Number(size)
}

/** Returns the server's words for people: safe on a terminal, and not too many. */
export function wordsOf(octets: string): string {
  return printable(octetsToText(octets)).slice(0, 300)
}
