import type { OutgoingHttpHeaders, ServerResponse } from 'node:http'
import { type Body, sendBody, wholeBody } from '../body.ts'
import type { Connection } from '../connection.ts'
import type { HttpRequest } from './respond.ts'

/** A response before it is sent. */
export interface Answer {
  readonly status: number
  readonly headers: OutgoingHttpHeaders
  /** Absent: no content at all, as with 304. */
  readonly body?: Body
  /** No Content-Length, chunked coding instead. */
  readonly chunked?: boolean
}

export function textAnswer(status: number, text: string, headers: OutgoingHttpHeaders = {}): Answer {
  return { status, headers: { 'Content-Type': 'text/plain; charset=utf-8', ...headers }, body: wholeBody(text) }
}

export async function sendAnswer(
  answer: Answer,
  request: HttpRequest,
  response: ServerResponse,
  connection: Connection,
): Promise<void> {
  const { status, body } = answer
  const length = body && !answer.chunked ? { 'Content-Length': body.size } : {}
  response.writeHead(status, { Server: 'retriever-test', ...answer.headers, ...length })
  if (!body || request.method === 'HEAD' || body.size === 0) {
    response.end()
    return
  }
  response.flushHeaders()
  const end = await sendBody(response, body, connection.nextBody())
  if (end === 'whole') response.end()
  else if (end === 'reset') await connection.reset()
  else {
    if (end === 'stalled') await connection.stall()
    await connection.end()
  }
}
