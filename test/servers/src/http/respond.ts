import type { IncomingMessage, ServerResponse } from 'node:http'
import type { Connection } from '../connection.ts'
import type { Listener } from '../listener.ts'
import { percentDecode } from '../text.ts'
import type { Tree } from '../tree.ts'
import { type Answer, sendAnswer } from './answer.ts'
import { route } from './routes.ts'

/** The connection a request came on, and its server. */
export interface Link {
  readonly connection: Connection
  readonly server: Listener
}

/** The facts that a route may look at. */
export interface HttpRequest {
  readonly method: string
  /** The request-target as sent, query included. */
  readonly target: string
  /** Its path, percent-decoded, one char an octet. */
  readonly path: string
  readonly headers: IncomingMessage['headers']
  /** The header lines as sent. */
  readonly head: string
  readonly tree: Tree
  readonly ignoreRange: boolean
}

/** One request, one response. */
export async function respond(
  message: IncomingMessage,
  response: ServerResponse,
  tree: Tree,
  link: Link,
): Promise<void> {
  const { connection } = link
  const { faults } = connection
  const request = read(message, tree, Boolean(faults.ignoreRestart))
  link.server.received.push(`${request.method} ${request.target} HTTP/${message.httpVersion}`)
  message.resume()
  if (faults.stall === 'response') {
    await connection.stall()
    return connection.end()
  }
  const wrong = connection.takeFault(request.target, request.path)
  if (wrong !== undefined) {
    if (wrong !== '') await connection.send(wrong)
    return connection.end()
  }
  await connection.delay()
  const answer: Answer = route(request)
  await sendAnswer(answer, request, response, connection)
}

function read(message: IncomingMessage, tree: Tree, ignoreRange: boolean): HttpRequest {
  const { method = 'GET', url: target = '/', headers, rawHeaders } = message
  const lines = [`${method} ${target} HTTP/${message.httpVersion}\r\n`]
  for (let at = 0; at < rawHeaders.length; at += 2) lines.push(`${rawHeaders[at]}: ${rawHeaders[at + 1]}\r\n`)
  // Absolute form, as a client sends it to a proxy: `GET http://host/path HTTP/1.1` (RFC 9112, 3.2.2).
  const local = target.replace(/^[a-z][a-z0-9+.-]*:\/\/[^/?]*/i, '')
  const path = percentDecode(local.split('?', 1)[0] || '/')
  return { method, target, path, headers, head: `${lines.join('')}\r\n`, tree, ignoreRange }
}
