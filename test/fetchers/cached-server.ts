import { once } from 'node:events'
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** What the server answers to one request. */
export type Script = (request: IncomingMessage, response: ServerResponse) => void

export interface CachedServer extends AsyncDisposable {
  readonly url: string
  /** The request lines and their fields, in the order in which they came. */
  readonly log: { readonly line: string; readonly headers: IncomingHttpHeaders }[]
  /** The next requests are answered by it. */
  script: Script
  /** No answer, and no connection any more. */
  down(): Promise<void>
}

/** A server that answers as the test says, and without a Date unless it says one: time is the test's. */
export async function cachedServer(script: Script): Promise<CachedServer> {
  const server = createServer((request, response) => {
    response.sendDate = false
    cached.log.push({ line: `${request.method} ${request.url}`, headers: request.headers })
    cached.script(request, response)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const close = async (): Promise<void> => {
    if (!server.listening) return
    server.closeAllConnections()
    await new Promise((resolve) => server.close(resolve))
  }
  const cached: CachedServer = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`,
    log: [],
    script,
    down: close,
    [Symbol.asyncDispose]: close,
  }
  return cached
}

/** An answer of one body, 304 where the request has its entity tag. */
export function answer(body: string | Buffer, headers: Record<string, string>, status = 200): Script {
  return (request, response) => {
    const { etag } = headers
    const isSame = etag !== undefined && request.headers['if-none-match'] === etag
    response.writeHead(isSame ? 304 : status, {
      ...headers,
      ...(!isSame && { 'content-length': Buffer.byteLength(body) }),
    })
    response.end(isSame || request.method === 'HEAD' ? undefined : body)
  }
}
