import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { isRepresentation, type Representation } from '@retriever/fetchers'
import type { Answer, Asked, Handler } from './answer.ts'
import type { GatewayCore } from './core.ts'
import { linesOf } from './fields.ts'
import { checkCoding, checkPeer } from './guard.ts'
import { problem } from './problem.ts'

/** How many octets wait for a client, so that it and the server do not wait for each other's every chunk. */
const sendBuffer = 524_288

/** Makes a server of node:http. What it reads is in the strict form of RFC 9112, whatever options Node was given. */
export function makeServer(core: GatewayCore, answer: Handler): Server {
  const { headTimeout, idleTimeout, connections } = core.settings.limits
  const server = createServer(
    {
      maxHeaderSize: 65_536,
      insecureHTTPParser: false,
      requireHostHeader: true,
      headersTimeout: headTimeout,
      // Content may take longer, as long as it moves.
      requestTimeout: 0,
      connectionsCheckingInterval: Math.min(headTimeout, 5000),
      noDelay: true,
      highWaterMark: sendBuffer,
    },
    (request, response) => void serve(core, answer, request, response),
  )
  server.timeout = idleTimeout
  server.maxConnections = connections
  return server
}

async function serve(
  core: GatewayCore,
  handler: Handler,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const gone = new AbortController()
  const abort = (): void => gone.abort()
  response.once('close', abort)
  // node:http closes no response that waits behind another one of its connection.
  const { socket } = request
  socket.setMaxListeners(0).once('close', abort)
  const forget = core.untilClosed(abort)
  let leave: (() => void) | undefined
  try {
    checkPeer(request, core.settings.token)
    leave = core.enter(request.socket.remoteAddress ?? '')
    checkCoding(request)
    const answer = await handler(askedBy(request, gone.signal))
    await send(response, answer, request.method === 'HEAD', gone.signal)
  } catch (error) {
    await send(response, problem(error, request.headers.accept, core.settings.messageOf), false, gone.signal)
  } finally {
    leave?.()
    forget()
    socket.off('close', abort)
  }
}

function askedBy(request: IncomingMessage, signal: AbortSignal): Asked {
  const { method = 'GET', url = '', rawHeaders, headers } = request
  const hasBody = headers['content-length'] !== undefined || headers['transfer-encoding'] !== undefined
  return {
    method,
    // node:http reads octets; programs write URLs in UTF-8.
    url: Buffer.from(url, 'latin1').toString(),
    // node:http makes a list of Set-Cookie alone, which no request has.
    headers: headers as Asked['headers'],
    lines: linesOf(rawHeaders),
    body: hasBody ? request : null,
    signal,
  }
}

/** Sends an answer as fast as the client reads. If a body breaks off, a reset tells that it is not whole. */
async function send(
  response: ServerResponse,
  { status, reason, lines, body }: Answer,
  isHead: boolean,
  gone: AbortSignal,
): Promise<void> {
  if (gone.aborted) {
    if (body instanceof Readable) body.destroy()
    else if (isRepresentation(body)) await body.cancel()
    return
  }
  response.writeHead(status, reason, lines.flat())
  if (!(body instanceof Readable || isRepresentation(body))) {
    response.end(isHead ? null : body)
    return
  }
  const sent = body instanceof Readable ? pipeline(body, response, { signal: gone }) : copy(body, response, gone)
  const sending = sent.catch(() => response.socket?.resetAndDestroy())
  // A response that waits behind another one tells of no end when their connection closes.
  await Promise.race([sending, once(gone, 'abort')])
}

/** Writes a body from the memory that its socket fills: copies would halve the speed of a large one. */
async function copy(body: Representation, response: ServerResponse, gone: AbortSignal): Promise<void> {
  await body.writeTo(
    (chunk) =>
      new Promise((resolve, reject) => {
        gone.addEventListener('abort', reject, { once: true })
        response.write(chunk, (error) => {
          gone.removeEventListener('abort', reject)
          if (error) reject(error)
          else resolve()
        })
      }),
  )
  response.end()
}
