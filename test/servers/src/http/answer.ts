import type { OutgoingHttpHeaders } from 'node:http'
import type { Writable } from 'node:stream'
import { type Body, type StreamedBody, sendBody, wholeBody } from '../body.ts'
import type { HttpRequest, Link } from './respond.ts'

/** A response before it is sent. */
export interface Answer {
  readonly status: number
  readonly headers: OutgoingHttpHeaders
  /** Absent: no content at all, as with 304. */
  readonly body?: Body | StreamedBody
  /** No Content-Length, chunked coding instead. */
  readonly chunked?: boolean
}

/** A response of HTTP/1.1 or of HTTP/2. */
export interface ResponseWriter extends Writable {
  writeHead(status: number, headers: OutgoingHttpHeaders): unknown
  flushHeaders?(): void
}

export function textAnswer(status: number, text: string, headers: OutgoingHttpHeaders = {}): Answer {
  return { status, headers: { 'Content-Type': 'text/plain; charset=utf-8', ...headers }, body: wholeBody(text) }
}

export async function sendAnswer(
  answer: Answer,
  request: HttpRequest,
  response: ResponseWriter,
  link: Link,
): Promise<void> {
  const { status, body } = answer
  const length = body?.size !== undefined && !answer.chunked ? { 'Content-Length': body.size } : {}
  response.writeHead(status, { Server: 'retriever-test', ...answer.headers, ...length })
  if (!body || request.method === 'HEAD' || body.size === 0) {
    response.end()
    return
  }
  response.flushHeaders?.()
  const end = await sendBody(response, body, link.connection.nextBody())
  // HTTP/2: the stream ends, and the length that was announced is not reached.
  if (end === 'whole' || (end === 'short' && link.http2)) response.end()
  else if (end === 'reset') await link.connection.reset()
  else {
    if (end === 'stalled') await link.connection.stall()
    await link.end()
  }
}
