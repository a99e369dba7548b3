import { createHash, randomBytes } from 'node:crypto'
import { type AccessPlans, authority, octetsToText, printable, webSocketHandshake } from '@retriever/core'
import type { RetrievalContext } from '../plugin/fetcher.ts'
import { isToken } from '../plugin/options.ts'
import type { LineReader } from '../wire/framing/lines.ts'
import type { Connection } from '../wire/transport/connection.ts'

type Plan = AccessPlans['ws']

/** RFC 6455 1.3 */
const guid = '258EAFA5-E914-47DA-95CA-C5AB0DC85B11'

/** The most header fields of an answer. */
const maxFields = 200

/**
 * Asks the server to speak WebSocket (RFC 6455 4.1), and gives its header fields. Rejects with not-found,
 * auth-required, access-denied or http-error if it answers in HTTP, and with `protocol-violation` if it breaks the
 * handshake.
 */
export async function shakeHands(
  plan: Plan,
  connection: Connection,
  lines: LineReader,
  context: RetrievalContext,
): Promise<Readonly<Record<string, string>>> {
  const key = randomBytes(16).toString('base64')
  const host = authority(plan, plan.tls === 'none' ? 80 : 443)
  const request = webSocketHandshake(plan.target, host, key, context.request.headers)
  await connection.sendLines(request.slice(0, -2).split('\r\n'))
  const status = await readLine(lines, context)
  const [, code] = /^HTTP\/1\.[01] (\d{3})(?: |$)/.exec(status) ?? []
  if (code === undefined) throw violation(context, `it answered "${shown(status)}"`)
  const fields = await readFields(lines, context)
  if (code !== '101') throw refusal(context, Number(code), shown(status.slice(9)))
  const expected = createHash('sha1')
    .update(key + guid)
    .digest('base64')
  if (!/^websocket$/i.test(fields.upgrade ?? '')) throw violation(context, 'it does not upgrade to WebSocket')
  if (fields['sec-websocket-accept'] !== expected) throw violation(context, 'its answer is for another request')
  // Nothing was offered, so nothing may be chosen (RFC 6455 4.1).
  if (fields['sec-websocket-extensions'] !== undefined) throw violation(context, 'it chose an extension')
  return fields
}

async function readFields(lines: LineReader, context: RetrievalContext): Promise<Record<string, string>> {
  const fields: Record<string, string> = Object.create(null)
  for (let count = 0; ; count++) {
    const line = await readLine(lines, context)
    if (line === '') return { ...fields }
    if (count === maxFields) throw context.error('limit-exceeded', `The answer has over ${maxFields} header fields.`)
    const colon = line.indexOf(':')
    const [key, value] = [line.slice(0, Math.max(0, colon)).toLowerCase(), line.slice(colon + 1).trim()]
    if (!isToken(key)) throw violation(context, `a header field is "${shown(line)}"`)
    fields[key] = key in fields ? `${fields[key]}, ${value}` : value
  }
}

async function readLine(lines: LineReader, context: RetrievalContext): Promise<string> {
  const line = await lines.line('request')
  if (line === null) {
    throw context.error('receive-failed', 'The server closed the connection without an answer; try again.', {
      transient: true,
    })
  }
  context.emit({
    type: 'received',
    url: context.url,
    octets: `${line.replace(/^(set-cookie:).*/i, '$1 <hidden>')}\r\n`,
  })
  return line
}

function refusal(context: RetrievalContext, status: number, words: string): Error {
  const code =
    status === 404 || status === 410
      ? 'not-found'
      : status === 401
        ? 'auth-required'
        : status === 403
          ? 'access-denied'
          : 'http-error'
  const message = `The server opens no WebSocket here: ${words}. Check the path.`
  return context.error(code, message, { status, reply: words })
}

function violation(context: RetrievalContext, what: string): Error {
  return context.error('protocol-violation', `The server broke the handshake of WebSocket: ${what}.`)
}

function shown(octets: string): string {
  return printable(octetsToText(octets)).slice(0, 300)
}
