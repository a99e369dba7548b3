import { type ErrorCode, octetsToText, printable } from '@retriever/core'
import type { Hide } from '../../auth/sent-secrets.ts'
import type { RetrievalContext } from '../../contract/fetcher.ts'
import { isToken } from '../../kit/options.ts'
import { trimBlanks } from '../../kit/text/blanks.ts'
import { httpDate } from '../../kit/text/date.ts'
import type { LineReader } from '../../wire/framing/lines.ts'

/** An answer without its body (RFC 2326 7). Strings hold one octet a character. */
export interface Answer {
  readonly status: number
  /** The status and its reason for people: `404 Not Found`. Untrusted. */
  readonly reply: string
  /** The header fields by lower-case name. Commas join fields of one name. */
  readonly fields: ReadonlyMap<string, string>
  /** How many octets the body has: 0 without Content-Length (RFC 2326 12.14). */
  readonly length: number
}

/** How many interim answers (100 to 199) and how many header fields may come. */
const maxInterim = 10
const maxFields = 200

/**
 * Reads the answer to the request of this number, and skips interim ones. `hide` masks what the server repeats. Throws
 * `protocol-violation`, `limit-exceeded`, and `receive-failed` if none comes.
 */
export async function readAnswer(
  lines: LineReader,
  number: number,
  hide: Hide,
  context: RetrievalContext,
): Promise<Answer> {
  for (let count = 0; count <= maxInterim; count++) {
    const answer = await readHead(lines, hide, context)
    const { status, reply, fields } = answer
    const sequence = fields.get('cseq')
    // A server that cannot read a request may not know its number.
    if (sequence === undefined ? status < 400 : !/^\d{1,9}$/.test(sequence) || Number(sequence) !== number) {
      throw violation(context, `its CSeq is not ${number}, so that it answers another request`, reply)
    }
    if (fields.has('transfer-encoding')) throw violation(context, 'it uses Transfer-Encoding', reply)
    if (status >= 200) return answer
    if (answer.length > 0) throw violation(context, 'an interim answer has a body', reply)
  }
  throw violation(context, `it sent over ${maxInterim} interim answers`)
}

async function readHead(lines: LineReader, hide: Hide, context: RetrievalContext): Promise<Answer> {
  const first = await readLine(lines, hide, context)
  const [, digits, reason = ''] = /^RTSP\/\d\.\d ([1-5]\d\d)(?: (.*))?$/.exec(first) ?? []
  if (digits === undefined) {
    const message = `The server answered "${shown(hide(first)).slice(0, 100)}", which is not RTSP. Check scheme and port.`
    throw context.error('protocol-violation', message, { phase: 'request', reply: shown(hide(first)) })
  }
  const reply = shown(`${digits} ${hide(reason)}`).trim()
  const fields = await readFields(lines, hide, context)
  const length = fields.get('content-length') ?? '0'
  if (!/^\d{1,15}$/.test(length)) throw violation(context, 'its Content-Length is no number', reply)
  return { status: Number(digits), reply, fields, length: Number(length) }
}

async function readFields(lines: LineReader, hide: Hide, context: RetrievalContext): Promise<Map<string, string>> {
  const fields = new Map<string, string>()
  let name = ''
  let octets = 0
  for (let count = 0; ; count++) {
    const line = await readLine(lines, hide, context)
    if (line === '') return fields
    octets += line.length
    if (count === maxFields || octets > context.limits.maxReply) {
      const limit = count === maxFields ? `${maxFields} lines` : `${context.limits.maxReply} octets`
      throw context.error('limit-exceeded', `The header of the answer is over ${limit}.`, { phase: 'request' })
    }
    const isFolded = /^[ \t]/.test(line) && name !== ''
    const colon = line.indexOf(':')
    if (!isFolded) name = line.slice(0, Math.max(0, colon)).trimEnd().toLowerCase()
    if (!isToken(name)) throw violation(context, `a header field is "${shown(hide(line))}"`)
    const value = trimBlanks(isFolded ? line : line.slice(colon + 1))
    const before = fields.get(name)
    // Equal lengths count once (RFC 9112 6.3). Unequal ones are an error, since joined they are no number.
    if (name === 'content-length' && before === value) continue
    fields.set(name, before === undefined ? value : `${before}${isFolded ? ' ' : ', '}${value}`)
  }
}

async function readLine(lines: LineReader, hide: Hide, context: RetrievalContext): Promise<string> {
  const line = await lines.line('request')
  if (line === null) {
    const message = 'The server closed the connection without an answer; try again.'
    throw context.error('receive-failed', message, { phase: 'request', transient: true })
  }
  const octets = `${hide(line.replace(/^(set-cookie:).*/i, '$1 <hidden>'))}\r\n`
  context.emit({ type: 'received', url: context.url, octets })
  return line
}

/** Conditions that may pass (RFC 2326 7.1.1). */
const temporary: ReadonlySet<number> = new Set([408, 453, 500, 502, 503, 504])

const ownCodes: Readonly<Record<number, readonly [code: ErrorCode, message: string]>> = {
  403: ['access-denied', 'The server denies access.'],
  404: ['not-found', 'The server has no such presentation; check the path.'],
  407: ['auth-required', 'A proxy on the way wants a user and password of its own.'],
  410: ['not-found', 'The presentation is gone for good.'],
  505: ['http-error', 'The server does not speak version 1.0 of RTSP.'],
  551: ['http-error', 'The server does not support an option of the request.'],
}

/** Makes the error that a status from 300 on means, except 401 and redirects. */
export function statusError({ status, reply, fields }: Answer, context: RetrievalContext): Error {
  const [code, message] = ownCodes[status] ?? ['http-error', 'The server refused or failed.']
  const transient = temporary.has(status)
  const retryAfter = transient ? waitOf(fields) : null
  return context.error(code, `${message} (${reply})`, {
    status,
    reply,
    phase: 'request',
    transient,
    ...(retryAfter !== null && { retryAfter }),
  })
}

/** Returns Retry-After in milliseconds (RFC 2326 12.31). It is a number of seconds or a date. */
function waitOf(fields: ReadonlyMap<string, string>): number | null {
  const field = fields.get('retry-after') ?? ''
  // No more than some 30 years, so that it stays a date.
  if (/^\d+$/.test(field)) return 1000 * Math.min(1e9, Number(field))
  const until = httpDate(field)
  const now = httpDate(fields.get('date')) ?? new Date()
  return until === null ? null : Math.max(0, until.getTime() - now.getTime())
}

export function violation(context: RetrievalContext, what: string, reply?: string): Error {
  const message = `The server broke RTSP: ${what}.`
  return context.error('protocol-violation', message, { phase: 'request', ...(reply !== undefined && { reply }) })
}

function shown(octets: string): string {
  return printable(octetsToText(octets)).slice(0, 300)
}
