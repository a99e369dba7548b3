import { MIMEType } from 'node:util'
import { type AccessPlans, octetsToText, redact } from '@retriever/core'
import { secretValues } from '@retriever/core/internal'
import { type Hide, hideSent } from '../../auth/sent-secrets.ts'
import { ServerLogin } from '../../auth/server-login.ts'
import type { Fetcher, Outcome, RetrievalContext, Retrieved } from '../../contract/fetcher.ts'
import { sourceOf } from '../../kit/byte-source.ts'
import { httpDate } from '../../kit/text/date.ts'
import { ConnectionBody } from '../../wire/connection-body.ts'
import { ExactReader } from '../../wire/exact-reader.ts'
import { LineReader } from '../../wire/framing/lines.ts'
import { Connection } from '../../wire/transport/connection.ts'
import { openSocket, peerAddressOf } from '../../wire/transport/socket.ts'
import { rtsp } from './about.ts'
import { type Answer, readAnswer, statusError, violation } from './answer.ts'

type RtspPlan = AccessPlans['rtsp']

/** Makes a fetcher for the description of a presentation, by RTSP's DESCRIBE (RFC 2326 10.2). It plays nothing. */
export function rtspFetcher(): Fetcher<'rtsp'> {
  return { ...rtsp, retrieve }
}

/** The redirects that are followed (RFC 2326 11.3). 305 is not, since it names a proxy. */
const redirects: ReadonlySet<number> = new Set([301, 302, 303])

async function retrieve(plan: RtspPlan, context: RetrievalContext): Promise<Outcome<'rtsp'>> {
  if (plan.transport === 'udp') return context.handoff()
  if (context.request.range !== undefined) {
    const message = 'RTSP sends no parts of a description; retrieve the whole.'
    throw context.error('range-refused', message, { phase: 'policy' })
  }
  const login = new ServerLogin(plan, 'DESCRIBE', context)
  let dialogue: Dialogue | null = null
  try {
    for (let number = 1; ; number++) {
      dialogue ??= await begin(plan, context)
      const authorization = login.authorization()
      const hide = hideSent([['Authorization', authorization]], [login.password, ...secretValues(plan.target)])
      const answer = await exchange(plan, number, authorization, hide, dialogue, context)
      if (answer.status === 401) {
        await login.answer(answer)
        // A nonce may belong to the connection, so we keep the connection if possible.
        if (await serves(answer, dialogue, context)) continue
        dialogue.connection.close()
        dialogue = null
        continue
      }
      if (answer.status < 400 || answer.status === 404) login.accepted()
      if (answer.status < 300) return retrieved(answer, dialogue, context)
      if (!redirects.has(answer.status)) throw statusError(answer, context)
      const location = answer.fields.get('location')
      if (!location) throw violation(context, 'it redirects without a Location', answer.reply)
      dialogue.connection.close()
      return { outcome: 'redirect', location, status: answer.status, peerAddress: dialogue.peerAddress }
    }
  } catch (error) {
    dialogue?.connection.close()
    throw error
  } finally {
    login.end()
  }
}

interface Dialogue {
  readonly connection: Connection
  readonly lines: LineReader
  readonly peerAddress: string | undefined
}

async function begin(plan: RtspPlan, context: RetrievalContext): Promise<Dialogue> {
  const socket = await openSocket(context, plan)
  const connection = new Connection(socket, context)
  const peerAddress = peerAddressOf(context, socket)
  return { connection, lines: new LineReader(connection, context), peerAddress }
}

async function exchange(
  { wire }: RtspPlan,
  number: number,
  authorization: string | null,
  hide: Hide,
  { connection, lines }: Dialogue,
  context: RetrievalContext,
): Promise<Answer> {
  const planned = (wire[0] ?? '').trimEnd().split('\r\n')
  const head = planned.map((line) => line.replace(/^CSeq: .*/, `CSeq: ${number}`))
  const withLogin = (value: string) => [...head, `Authorization: ${value}`, '']
  if (authorization === null) await connection.sendLines([...head, ''])
  else await connection.sendLines(withLogin(authorization), withLogin('<password>'))
  return readAnswer(lines, number, hide, context)
}

/** Skips the body of an answer. Returns false if the connection serves no further request. */
async function serves({ fields, length }: Answer, { lines }: Dialogue, context: RetrievalContext): Promise<boolean> {
  if (/\bclose\b/i.test(fields.get('connection') ?? '') || length > context.limits.maxReply) return false
  for (let left = length; left > 0; ) {
    const octets = await lines.read('request')
    if (octets === null) return false
    if (octets.length > left) lines.unread(octets.subarray(left))
    left -= Math.min(left, octets.length)
  }
  return true
}

function retrieved(answer: Answer, { connection, lines }: Dialogue, context: RetrievalContext): Retrieved<'rtsp'> {
  const { status, fields, length } = answer
  const contentType = fields.get('content-type') ?? null
  if (contentType !== null && !fields.has('content-length')) {
    throw violation(context, 'its description has no Content-Length', answer.reply)
  }
  const type = parseType(contentType)
  const mediaType = type?.essence ?? null
  return {
    outcome: 'retrieved',
    kind: 'object',
    mediaType,
    // A description is in UTF-8 (RFC 8866 5).
    charset: type?.params.get('charset')?.toLowerCase() ?? (mediaType === 'application/sdp' ? 'utf-8' : null),
    size: length,
    modified: httpDate(fields.get('last-modified')),
    completeness: 'verified',
    metadata: {
      status,
      contentType: contentType === null ? null : octetsToText(contentType),
      // RFC 2326 C.1.1.
      base: redact(octetsToText(fields.get('content-base') ?? fields.get('content-location') ?? context.url)),
    },
    body: new ConnectionBody(sourceOf(octetsOf(length, new ExactReader(lines, context))), connection),
  }
}

async function* octetsOf(length: number, reader: ExactReader): AsyncGenerator<Uint8Array> {
  for (let left = length; left > 0; ) {
    const octets = await reader.some(left)
    left -= octets.length
    yield octets
  }
}

function parseType(text: string | null): MIMEType | null {
  try {
    return text === null ? null : new MIMEType(text)
  } catch {
    return null
  }
}
