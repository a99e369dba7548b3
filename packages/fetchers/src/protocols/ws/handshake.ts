import { createHash, randomBytes } from 'node:crypto'
import { type AccessPlans, octetsToText, printable } from '@retriever/core'
import { authority, webSocketHandshake } from '@retriever/core/internal'
import type { Hide } from '../../auth/sent-secrets.ts'
import type { RetrievalContext } from '../../contract/fetcher.ts'
import { isToken } from '../../kit/options.ts'
import { givesField } from '../../kit/request-options.ts'
import { trimBlanks } from '../../kit/text/blanks.ts'
import type { LineReader } from '../../wire/framing/lines.ts'
import type { Connection } from '../../wire/transport/connection.ts'

type Plan = AccessPlans['ws']

/** The GUID of RFC 6455 1.3. */
const guid = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'

/** How many header fields an answer may have. */
const maxFields = 200

/** The head of the server's answer. */
export interface Answer {
  readonly status: number
  /** The status and its reason for people. Untrusted. */
  readonly reply: string
  readonly fields: ReadonlyMap<string, string>
}

/**
 * Asks the server to speak WebSocket (RFC 6455 4.1). Returns its answer if the WebSocket is open (101) or if it wants a
 * login (401). Rejects with not-found, access-denied or http-error if it answers otherwise in HTTP, and with
 * `protocol-violation` if it breaks the handshake. `hide` masks what the server repeats.
 */
export async function shakeHands(
  plan: Plan,
  authorization: string | null,
  hide: Hide,
  connection: Connection,
  lines: LineReader,
  context: RetrievalContext,
): Promise<Answer> {
  const key = randomBytes(16).toString('base64')
  const host = authority(plan, plan.tls === 'none' ? 80 : 443)
  const { target } = plan
  const { headers } = context.request
  const handshake = webSocketHandshake({ target, host, key, authorization, headers })
  await connection.sendLines(linesOf(handshake.sent), linesOf(handshake.shown))
  const first = await readLine(lines, hide, context)
  const [, code] = /^HTTP\/1\.[01] (\d{3})(?: |$)/.exec(first) ?? []
  if (code === undefined) throw violation(context, `it answered "${shown(hide(first))}"`)
  const fields = await readFields(lines, hide, context)
  const answer = { status: Number(code), reply: `${code} ${shown(hide(first.slice(13)))}`.trim(), fields }
  if (answer.status === 401) return answer
  if (answer.status !== 101) throw refusal(context, answer)
  const expected = createHash('sha1')
    .update(key + guid)
    .digest('base64')
  if (!/^websocket$/i.test(fields.get('upgrade') ?? '')) throw violation(context, 'it does not upgrade to WebSocket')
  if (fields.get('sec-websocket-accept') !== expected) throw violation(context, 'its answer is for another request')
  // We offered nothing, so the server may choose nothing (RFC 6455 4.1).
  if (fields.has('sec-websocket-extensions')) throw violation(context, 'it chose an extension')
  if (fields.has('sec-websocket-protocol') && !givesField(context.request, 'sec-websocket-protocol')) {
    throw violation(context, 'it chose a subprotocol')
  }
  return answer
}

function linesOf(head: string): string[] {
  return head.slice(0, -2).split('\r\n')
}

async function readFields(
  lines: LineReader,
  hide: Hide,
  context: RetrievalContext,
): Promise<ReadonlyMap<string, string>> {
  const fields = new Map<string, string>()
  for (let count = 0; ; count++) {
    const line = await readLine(lines, hide, context)
    if (line === '') return fields
    if (count === maxFields) throw context.error('limit-exceeded', `The answer has over ${maxFields} header fields.`)
    const colon = line.indexOf(':')
    const [key, value] = [line.slice(0, Math.max(0, colon)).toLowerCase(), trimBlanks(line.slice(colon + 1))]
    if (!isToken(key)) throw violation(context, `a header field is "${shown(hide(line))}"`)
    const before = fields.get(key)
    fields.set(key, before === undefined ? value : `${before}, ${value}`)
  }
}

async function readLine(lines: LineReader, hide: Hide, context: RetrievalContext): Promise<string> {
  const line = await lines.line('request')
  if (line === null) {
    throw context.error('receive-failed', 'The server closed the connection without an answer; try again.', {
      transient: true,
    })
  }
  context.emit({
    type: 'received',
    url: context.url,
    octets: `${hide(line.replace(/^(set-cookie:).*/i, '$1 <hidden>'))}\r\n`,
  })
  return line
}

function refusal(context: RetrievalContext, { status, reply }: Answer): Error {
  const code = status === 404 || status === 410 ? 'not-found' : status === 403 ? 'access-denied' : 'http-error'
  const message = `The server opens no WebSocket here: ${reply}. Check the path.`
  return context.error(code, message, { status, reply })
}

function violation(context: RetrievalContext, what: string): Error {
  return context.error('protocol-violation', `The server broke the handshake of WebSocket: ${what}.`)
}

function shown(octets: string): string {
  return printable(octetsToText(octets)).slice(0, 300)
}
