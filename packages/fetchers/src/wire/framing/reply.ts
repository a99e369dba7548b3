import { type ErrorCode, octetsToText, type Phase, printable, type RetrievalError } from '@retriever/core'
import type { ErrorExtras, RetrievalContext } from '../../contract/fetcher.ts'
import type { LineReader } from './lines.ts'

/** A reply of one line (RFC 3977 3.1): a code of three digits, whose first digit tells the outcome, and text. */
export interface Reply {
  readonly code: number
  /** The text without the code, one octet a character. */
  readonly text: string
  /** The text as it is shown, if it repeats a secret that was sent before. */
  readonly masked?: string
}

/**
 * Parses a line such as `211 1234 3000234 3002322 misc.test`. Returns undefined for `220-Welcome` or `HTTP/1.1 400`.
 */
export function parseReply(line: string): Reply | undefined {
  const [, code, text = ''] = /^([1-5]\d\d)(?: (.*))?$/s.exec(line) ?? []
  return code === undefined ? undefined : { code: Number(code), text }
}

/**
 * Reads the next reply. Rejects with `receive-failed` if the connection ends first, and with `protocol-violation` if
 * the line is no reply. Masks `secrets` that were just sent, in case the server repeats them. `earlier` ones are masked
 * in what is shown alone, since numbers in the text may look like them.
 */
export async function readReply(
  lines: LineReader,
  context: RetrievalContext,
  phase: Phase,
  secrets: readonly string[] = [],
  earlier: readonly string[] = [],
): Promise<Reply> {
  const received = await lines.line(phase)
  if (received === null) {
    const message = 'The server closed the connection without an answer; try again.'
    throw context.error('receive-failed', message, { phase, transient: true })
  }
  const line = blot(blot(received, secrets), earlier)
  context.emit({ type: 'received', url: context.url, octets: `${line}\r\n` })
  const reply = parseReply(received)
  if (reply !== undefined) {
    const text = blot(reply.text, secrets)
    const masked = blot(text, earlier)
    return masked === text ? { ...reply, text } : { ...reply, text, masked }
  }
  const message = `The server answered "${shown(line)}", which is no reply of this protocol. Check scheme and port.`
  throw context.error('protocol-violation', message, { phase, reply: shown(line) })
}

function blot(text: string, secrets: readonly string[]): string {
  return secrets.reduce((rest, secret) => (secret === '' ? rest : rest.replaceAll(secret, '<password>')), text)
}

/** Returns a reply that has one of the codes, and throws for any other. */
export function expectReply(context: RetrievalContext, reply: Reply, ...codes: readonly number[]): Reply {
  if (codes.includes(reply.code)) return reply
  throw refusal(context, 'server-refused', 'The server refused', reply)
}

/** Makes the error for an unexpected reply. Only 4xx and 5xx are refusals; any other code violates the protocol. */
export function refusal(
  context: RetrievalContext,
  code: ErrorCode,
  message: string,
  reply: Reply,
  extras: ErrorExtras = {},
): RetrievalError {
  const words = replyWords(reply)
  if (reply.code >= 400) return context.error(code, `${message}: ${words}`, { reply: words, ...extras })
  const unexpected = `The server answered "${words}", which does not fit here. Check scheme and port.`
  return context.error('protocol-violation', unexpected, { reply: words })
}

/** Returns the reply as a person reads it, such as `411 No such group`: decoded, and safe on a terminal. */
export function replyWords({ code, text: whole, masked: text = whole }: Reply): string {
  return shown(text === '' ? String(code) : `${code} ${text}`)
}

function shown(octets: string): string {
  const text = printable(octetsToText(octets))
  // A line may have 8 KiB, which is too long for a message.
  return text.length > 300 ? `${text.slice(0, 300)}...` : text
}
