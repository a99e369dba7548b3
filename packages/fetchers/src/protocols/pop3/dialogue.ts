import { octetsToText, type Phase, printable, type RetrievalError } from '@retriever/core'
import type { RetrievalContext } from '../../contract/fetcher.ts'
import { whenHeld } from '../../kit/limits.ts'
import { dotBody } from '../../wire/framing/dot.ts'
import { LineReader, linesOf } from '../../wire/framing/lines.ts'
import { ConnectionDialogue } from '../../wire/pool/connection-dialogue.ts'
import type { Connection } from '../../wire/transport/connection.ts'

/** A reply (RFC 1939 3): `+OK` or `-ERR`, and words. */
export interface PopReply {
  readonly isOk: boolean
  /** True if the server asks for a line (RFC 5034 4). */
  readonly isRequest: boolean
  /** One octet a character. */
  readonly text: string
}

/** Sends commands and reads replies on one POP3 connection, for one retrieval after the other. */
export class PopDialogue extends ConnectionDialogue<LineReader> {
  constructor(connection: Connection, context: RetrievalContext) {
    super(connection, context, LineReader)
  }

  /** Sends QUIT. Its reply says nothing, since no message was marked as deleted. */
  async farewell(): Promise<void> {
    await this.connection.sendLine('QUIT')
  }

  /** Sends a command and returns its reply. Events show `shown` in place of one with a secret. */
  async ask(phase: Phase, command: string, shown: string = command): Promise<PopReply> {
    this.isAsking = true
    await this.connection.sendLine(command, shown)
    return this.reply(phase)
  }

  /** Reads a reply, and masks secrets in it. */
  async reply(phase: Phase): Promise<PopReply> {
    const received = await this.reader.line(phase)
    const { url, emit, error } = this.context
    if (received === null) {
      const message = 'The server closed the connection without an answer; try again.'
      throw error('receive-failed', message, { phase, transient: true })
    }
    const line = this.hidden(received)
    emit({ type: 'received', url, octets: `${line}\r\n` })
    const [, sign, text = ''] = /^(\+OK|-ERR|\+)(?: (.*))?$/is.exec(line) ?? []
    this.isAsking = false
    if (sign !== undefined) return { isOk: !sign.startsWith('-'), isRequest: sign === '+', text }
    const words = wordsOf(line)
    const message = `The server answered "${words}", which is no reply of this protocol. Check scheme and port.`
    throw error('protocol-violation', message, { phase, reply: words })
  }

  /** Gives the octets after the reply to a command with a multi-line reply (RFC 1939 3), without the added dots. */
  octets(): AsyncIterable<Uint8Array> {
    this.isAsking = true
    return this.#block()
  }

  async *#block(): AsyncGenerator<Uint8Array> {
    yield* dotBody(this.reader, this.context)
    this.isAsking = false
  }

  /** Gives the lines of a multi-line reply. */
  block(): AsyncIterable<string> {
    const { limits } = this.context
    const { maxListing } = whenHeld(limits)
    return linesOf(this.octets(), { ...this.context, limits: { ...limits, maxListing } })
  }

  /** Begins TLS (STLS, RFC 2595 4). */
  async startTls(peer: { readonly host: string; readonly port: number }): Promise<void> {
    const reply = await this.ask('login', 'STLS')
    if (!reply.isOk) {
      const words = wordsOf(reply.text)
      const message = `The server does not begin TLS (${words}). A scheme with TLS from the start may be served.`
      throw this.context.error('tls-failed', message, { phase: 'tls', reply: words })
    }
    await this.beginTls(peer)
  }

  /** Makes the error for a refusal. A code in brackets marks refusals that pass (RFC 2449 8). */
  refusal({ text }: PopReply, code: 'auth-failed' | 'not-found' | 'server-refused', what: string): RetrievalError {
    const words = wordsOf(text)
    const passes = /^\[(?:IN-USE|LOGIN-DELAY|SYS\/TEMP)\]/i.test(text)
    const message = `${what}: ${words === '' ? 'the server gives no reason.' : words}`
    return this.context.error(passes ? 'server-refused' : code, message, {
      reply: words || '-ERR',
      ...(passes && { transient: true }),
    })
  }
}

/** Returns the server's words for people: safe on a terminal, and not too many. */
export function wordsOf(octets: string): string {
  return printable(octetsToText(octets)).slice(0, 300)
}
