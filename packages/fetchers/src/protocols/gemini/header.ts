import { MIMEType } from 'node:util'
import { octetsToText, printable } from '@retriever/core'
import { adviceText } from '@retriever/core/internal'
import type { RetrievalContext } from '../../contract/fetcher.ts'
import type { LineReader } from '../../wire/framing/lines.ts'

/** The header of an answer: a status from 10 to 69, and its text. */
export interface Header {
  readonly status: number
  /** The prompt, media type, new URL or error message: decoded, untrusted. */
  readonly text: string
}

/**
 * Reads the header. Messages mask `secrets` that were just sent. Throws `protocol-violation` for a line that is no
 * header, and `receive-failed` if none comes.
 */
export async function readHeader(
  lines: LineReader,
  context: RetrievalContext,
  secrets: readonly string[],
): Promise<Header> {
  const received = await lines.line('request')
  if (received === null) {
    const message = 'The server closed the connection without an answer; try again.'
    throw context.error('receive-failed', message, { phase: 'request', transient: true })
  }
  const line = secrets.reduce((rest, secret) => rest.replaceAll(secret, '<password>'), received)
  context.emit({ type: 'received', url: context.url, octets: `${line}\r\n` })
  const [, digits, text = ''] = /^([1-6]\d)(?:[ \t](.*))?$/.exec(line) ?? []
  if (digits === undefined) {
    const shown = printable(octetsToText(line)).slice(0, 100)
    const message = `The server answered "${shown}", which is no header of Gemini. Check scheme and port.`
    throw context.error('protocol-violation', message, { phase: 'request', reply: shown })
  }
  // The new URL is used as it came, without masking.
  const exact = digits.startsWith('3') ? received.slice(3) : text
  return { status: Number(digits), text: octetsToText(exact).trim() }
}

/** Makes the error that a status from 40 to 69 means. */
export function statusError({ status, text }: Header, context: RetrievalContext): Error {
  const reply = printable(`${status} ${text}`.trim()).slice(0, 300)
  const fail = (code: Parameters<typeof context.error>[0], what: string, extras = {}): Error =>
    context.error(code, `${what}: ${reply}`, { phase: 'request', reply, ...extras })
  if (status === 51 || status === 52) return fail('not-found', 'The server has no such resource')
  if (status === 44) {
    // Up to version 0.16, the text was the number of seconds to wait.
    const retryAfter = /^\d{1,6}$/.test(text) ? { retryAfter: Number(text) * 1000 } : {}
    return fail('server-refused', 'The server asks for fewer requests', { transient: true, ...retryAfter })
  }
  if (status < 50) return fail('server-refused', 'The server cannot answer now', { transient: true })
  if (status < 60) return fail('server-refused', 'The server refused')
  if (status === 61) return fail('access-denied', 'The certificate of the client gives no access')
  if (context.tls.cert !== undefined) return fail('auth-failed', 'The server refused the certificate of the client')
  const advice = { option: 'tls.cert' } as const
  const what = `The server wants a certificate of the client; give one by ${adviceText(advice)}`
  return fail('auth-required', what, { advice })
}

export interface ContentType {
  readonly mediaType: string
  readonly charset: string | null
  readonly language: string | null
}

/**
 * Returns the media type of a success. If the server names none, it is gemtext. If a text has no charset, it is UTF-8.
 */
export function contentTypeOf(text: string): ContentType {
  const type = parseType(text === '' ? 'text/gemini' : text)
  if (type === null) return { mediaType: 'application/octet-stream', charset: null, language: null }
  const isText = type.type === 'text'
  return {
    mediaType: type.essence,
    charset: type.params.get('charset')?.toLowerCase() ?? (isText ? 'utf-8' : null),
    language: type.params.get('lang'),
  }
}

function parseType(text: string): MIMEType | null {
  try {
    return new MIMEType(text)
  } catch {
    return null
  }
}
