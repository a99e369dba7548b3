import type { OutgoingHttpHeaders } from 'node:http'
import { type StreamedBody, wholeBody } from '../body.ts'
import { type Check, wrong } from '../options.ts'
import type { RecordedRequest } from '../request.ts'
import type { RouteParams, Routes } from '../routes.ts'
import { octets } from '../text.ts'
import { type Answer, textAnswer } from './answer.ts'

/** A web Response is streamed; a text or octets are sent with status 200 and their length. */
export type HttpReply = Response | string | Uint8Array

/** Answers a request once its content has come. If it returns undefined, the next route or the files answer. */
export type HttpHandler = (
  request: RecordedRequest,
  params: RouteParams,
) => HttpReply | undefined | Promise<HttpReply | undefined>

/** Accepts a function, or anything that it may return. */
export const httpHandler: Check = (name, value) => {
  if (typeof value !== 'function' && !isReply(value)) {
    throw wrong(name, 'a function, a Response, a string or a Uint8Array', value)
  }
}

function isReply(value: unknown): boolean {
  return typeof value === 'string' || value instanceof Uint8Array || value instanceof Response
}

/**
 * The answer of the routes for a path; undefined if no route answers. If a handler throws, it is a 500 with its
 * message.
 */
export async function routedAnswer(
  routes: Routes<HttpHandler | HttpReply>,
  path: string,
  request: () => Promise<RecordedRequest>,
): Promise<Answer | undefined> {
  for (const { handler, params, once, used } of routes.find(path)) {
    try {
      const reply =
        typeof handler === 'function' ? await handler(await request(), params) : once ? handler : copy(handler)
      if (reply === undefined) continue
      used()
      return answerOf(reply)
    } catch (error) {
      return textAnswer(500, octets(`The route threw: ${String(error)}\n`))
    }
  }
  return undefined
}

/**
 * Copies a Response, which can be read only once. The stream that its copies share goes on when one client leaves.
 */
function copy(reply: HttpReply): HttpReply {
  return reply instanceof Response ? reply.clone() : reply
}

function answerOf(reply: HttpReply): Answer {
  if (typeof reply === 'string') return textAnswer(200, octets(reply))
  if (reply instanceof Uint8Array) {
    return { status: 200, headers: { 'Content-Type': 'application/octet-stream' }, body: wholeBody(reply) }
  }
  if (!(reply instanceof Response)) {
    throw new TypeError(`expected a Response, a string, a Uint8Array or undefined, got ${typeof reply}`)
  }
  const headers: OutgoingHttpHeaders = Object.fromEntries(reply.headers)
  const cookies = reply.headers.getSetCookie()
  if (cookies.length > 0) headers['set-cookie'] = cookies
  const { status, body } = reply
  return body === null ? { status, headers } : { status, headers, body: streamed(body) }
}

/** The stream of a route failed. The connection breaks off, as with any server whose source fails. */
class StreamFailed extends Error {
  readonly code = 'STREAM_FAILED'
}

function streamed(body: ReadableStream<Uint8Array>): StreamedBody {
  const reader = body.getReader()
  return { size: undefined, chunks: chunksOf(reader), cancel: () => void reader.cancel().catch(() => {}) }
}

async function* chunksOf(reader: ReadableStreamDefaultReader<Uint8Array>): AsyncGenerator<Uint8Array> {
  try {
    for (let next = await reader.read(); !next.done; next = await reader.read()) yield next.value
  } catch (cause) {
    throw new StreamFailed(`The stream of the route failed: ${String(cause)}`, { cause })
  }
}
