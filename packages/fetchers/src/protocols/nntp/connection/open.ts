import type { Socket } from 'node:net'
import { adviceText } from '@retriever/core/internal'
import type { RetrievalContext } from '../../../contract/fetcher.ts'
import { LineReader } from '../../../wire/framing/lines.ts'
import { type Reply, readReply, refusal, replyWords } from '../../../wire/framing/reply.ts'
import { Connection } from '../../../wire/transport/connection.ts'
import { openSessionSocket } from '../../../wire/transport/socket.ts'
import { startTls } from '../../../wire/transport/start-tls.ts'
import { isFullReply, serverUnavailable } from '../nntp-errors.ts'
import { plannedCommand } from '../planned-command.ts'
import type { NntpQuirks } from './server-quirks.ts'
import { NntpSession, type ServerPlan } from './session.ts'

/**
 * Connects, waits for the greeting, and starts TLS if the plan says so. Nothing is sent before the greeting, so that a
 * server of another protocol gets no octet of ours (threats.md section 2). The session may outlive the retrieval.
 */
export async function openSession(
  plan: ServerPlan,
  context: RetrievalContext,
  quirks: NntpQuirks,
): Promise<NntpSession> {
  let socket = await openSessionSocket(context, plan)
  try {
    const lines = new LineReader(new Connection(socket, context), context)
    await greet(socket, lines, context)
    if (plan.tls === 'explicit') socket = await upgrade(socket, lines, plan, context)
    return new NntpSession(socket, context, quirks)
  } catch (error) {
    socket.destroy()
    context.deadline.throwIfAborted()
    throw error
  }
}

async function greet(socket: Socket, lines: LineReader, context: RetrievalContext): Promise<void> {
  const greeting = await readReply(lines, context, 'greeting')
  checkSilent(socket, lines, context)
  if (greeting.code === 400 || isFullReply(greeting)) throw serverUnavailable(context, greeting)
  if (greeting.code === 200 || greeting.code === 201) return
  throw refusal(context, 'server-refused', 'The news server refuses the connection', greeting)
}

/** Sends STARTTLS (RFC 4642 2.2). A server that refuses it gets no command in the clear. */
async function upgrade(
  socket: Socket,
  lines: LineReader,
  plan: ServerPlan,
  context: RetrievalContext,
): Promise<Socket> {
  await new Connection(socket, context).sendLine(plannedCommand(plan, 'STARTTLS'))
  const reply = await readReply(lines, context, 'tls')
  if (reply.code !== 382) throw noTls(context, reply)
  // If the server sends `382 go on\r 281 in\r ` in one segment, octets sent in the clear would be read as if they came
  // through TLS.
  checkSilent(socket, lines, context)
  const { socket: secured, agreed } = startTls(context, plan, socket)
  await context.deadline.within('tls', () => agreed)
  return secured
}

function noTls(context: RetrievalContext, reply: Reply): Error {
  const words = replyWords(reply)
  const advice = { option: 'defaults.requireTls' } as const
  const remedy = `try nntps:// (port 563), or leave out ${adviceText(advice)}`
  const message = `The server does not offer TLS here ("${words}"); ${remedy}.`
  return reply.code >= 400
    ? context.error('tls-failed', message, { phase: 'tls', reply: words, advice })
    : refusal(context, 'tls-failed', message, reply)
}

function checkSilent(socket: Socket, lines: LineReader, context: RetrievalContext): void {
  if (!lines.holds && socket.readableLength === 0) return
  const message = 'The server answered before it was asked; the connection was closed.'
  throw context.error('protocol-violation', message)
}
