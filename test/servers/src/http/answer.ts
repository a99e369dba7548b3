import type { OutgoingHttpHeaders } from 'node:http'
import type { Writable } from 'node:stream'
import { type Body, type StreamedBody, sendBody, wholeBody } from '../body.ts'
import { turns } from '../wire.ts'
import type { HttpRequest, Link } from './respond.ts'

/** A response before it is sent. */
export interface Answer {
  readonly status: number
  readonly headers: OutgoingHttpHeaders
  /** Absent if the response has no content at all, as with 304. */
  readonly body?: Body | StreamedBody
  /** Whether the response uses chunked coding instead of Content-Length. */
  readonly chunked?: boolean
}

/** A response of HTTP/1.1 or HTTP/2. */
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
  if (body && 'cancel' in body) cancelOnceLeft(body, response, link)
  const length = body?.size !== undefined && !answer.chunked ? { 'Content-Length': body.size } : {}
  response.writeHead(status, { Server: 'retriever-test', ...answer.headers, ...length })
  if (!body || request.method === 'HEAD' || body.size === 0) {
    if (body && 'cancel' in body) body.cancel()
    response.end()
    return
  }
  response.flushHeaders?.()
  const end = await sendBody(response, body, link.connection.nextBody())
  // HTTP/2: the stream ends before the announced length.
  if (end === 'whole' || (end === 'short' && link.http2)) response.end()
  else if (end === 'reset') await link.connection.reset()
  else {
    if (end === 'stalled') await link.connection.stall()
    await link.end()
  }
}

/** How many turns of the event loop a client that has ended its side still gets what the stream has ready. */
const LAST_TURNS = 20

/**
 * Cancels a stream when its client leaves, since the stream may never send more. A client that has only ended its side
 * looks the same, until something is sent.
 */
function cancelOnceLeft(body: StreamedBody, response: ResponseWriter, link: Link): void {
  const { connection, http2 } = link
  const { stream } = connection
  const cancel = (): void => body.cancel()
  if (response.destroyed) {
    cancel()
    return
  }
  response.once('close', cancel)
  if (http2) return
  const ended = async (): Promise<void> => {
    await turns(LAST_TURNS)
    if (response.writableEnded) return
    cancel()
    connection.destroy()
  }
  if (stream.readableEnded) {
    void ended()
    return
  }
  stream.once('end', ended)
  response.once('close', () => stream.off('end', ended))
}
