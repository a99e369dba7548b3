import { createServer } from 'node:http'
import { dropConnection, Listener, type ServerOptions, type TestServer } from '../listener.ts'
import { type FileOptions, seedTree } from '../seed.ts'
import type { Tree } from '../tree.ts'
import { type Link, respond } from './respond.ts'

export interface HttpServerOptions extends ServerOptions, FileOptions {}

/** An HTTP/1.1 server (RFC 9110, RFC 9112) with the seed files and the routes in `routes.ts`. */
export async function startHttpServer(options: HttpServerOptions = {}): Promise<TestServer> {
  return startHttpOn(seedTree(options), options)
}

export async function startHttpOn(tree: Tree, options: HttpServerOptions): Promise<TestServer> {
  // Never listens itself: connections come from the listener that all protocols share.
  const http = createServer({ keepAliveTimeout: 0, requestTimeout: 0, headersTimeout: 0 })
  // A client may half-close after its request and still wants the response.
  Object.assign(http, { httpAllowHalfOpen: true })
  const links = new WeakMap<object, Link>()
  const listener = new Listener(
    {
      name: 'http',
      scheme: 'http',
      serve(connection, server) {
        if (connection.faults.stall === 'greeting') return connection.stall()
        links.set(connection.stream, { connection, server })
        http.emit('connection', connection.stream)
        return new Promise((resolve) => connection.raw.once('close', () => resolve()))
      },
    },
    options,
  )
  http.on('request', (request, response) => {
    const link = links.get(request.socket)
    if (link) respond(request, response, tree, link).catch((error: unknown) => dropConnection(link.connection, error))
  })
  http.on('clientError', (_error, stream) => {
    stream.end('HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n')
  })
  return listener.listen(options.port ?? 0)
}
