import { createServer, type Server } from 'node:http'
import { createServer as createHttp2Server } from 'node:http2'
import { type AccountOptions, accountChecks, seedAccounts } from '../accounts.ts'
import type { Connection } from '../connection.ts'
import { RoutedListener } from '../files/routed-listener.ts'
import { type FileOptions, fileChecks, ServedFiles } from '../files/served-files.ts'
import type { Listener } from '../listener.ts'
import { type Checks, checkOptions, flag } from '../options.ts'
import { type RouteOptions, Routes } from '../routes.ts'
import { type FileServer, type ServerOptions, serverChecks } from '../test-server.ts'
import { type HttpHandler, type HttpReply, httpHandler } from './handler.ts'
import { speaksHttp2 } from './preface.ts'
import { type HttpSettings, type Link, respond } from './respond.ts'
import { type SiteOptions, siteChecks } from './sites.ts'

export interface HttpServerOptions extends ServerOptions, FileOptions, AccountOptions, SiteOptions {
  /**
   * Whether the server also speaks HTTP/2: with TLS by ALPN, without TLS if the client begins with HTTP/2. Default
   * false.
   */
  readonly http2?: boolean
}

/** A running HTTP server. */
export interface HttpServer extends FileServer {
  /**
   * Answers a path such as `/items/:id` or `/files/*`, whatever the method and query. The latest route comes first. If
   * a handler returns undefined, the next route or the files answer; if it throws, the client gets 500. A stream that
   * fails ends the connection.
   */
  route(path: string, handler: HttpHandler | HttpReply, options?: RouteOptions): void
}

type OwnOptions = Omit<HttpServerOptions, keyof FileOptions>

export const httpChecks: Checks<OwnOptions> = { ...serverChecks, ...accountChecks, ...siteChecks, http2: flag }

/** An HTTP/1.1 and HTTP/2 server (RFC 9110, 9112, 9113) with the seed files and the routes in `routes.ts`. */
export async function startHttpServer(options: HttpServerOptions = {}): Promise<HttpServer> {
  checkOptions('startHttpServer', options, { ...httpChecks, ...fileChecks })
  return startHttpOn(new ServedFiles(options), options)
}

/** Starts a server; its options must have been checked. */
export async function startHttpOn(tree: ServedFiles, options: OwnOptions): Promise<HttpServer> {
  const { accounts = seedAccounts, auth = 'none', http2 = false, hosts = [] } = options
  const routes = new Routes<HttpHandler | HttpReply>(httpHandler)
  const settings: HttpSettings = { tree, routes, accounts, authRequired: auth === 'required', hosts }
  const links = new WeakMap<object, Link>()
  const http = http1Server(settings, links)
  const listener = new RoutedListener(
    {
      name: 'http',
      scheme: 'http',
      alpn: http2 ? ['h2', 'http/1.1'] : undefined,
      async serve(connection, server) {
        if (connection.faults.stall === 'greeting') return connection.stall()
        if (http2 && (await speaksHttp2(connection))) return serveHttp2(connection, server, settings)
        links.set(connection.stream, { connection, server, http2: false, end: () => connection.end() })
        http.emit('connection', connection.stream)
        return gone(connection)
      },
    },
    options,
    tree,
    routes,
  )
  return listener.listen(options.port ?? 0)
}

/** Makes a server that does not listen: connections come from the listener that all protocols share. */
function http1Server(settings: HttpSettings, links: WeakMap<object, Link>): Server {
  const http = createServer({ keepAliveTimeout: 0, requestTimeout: 0, headersTimeout: 0 })
  // A client may half-close after its request and still want the response.
  Object.assign(http, { httpAllowHalfOpen: true })
  http.on('request', (request, response) => {
    const link = links.get(request.socket)
    if (!link) return
    respond(request, response, settings, link).catch((error: unknown) => link.server.drop(link.connection, error))
  })
  http.on('clientError', (_error, stream) => {
    stream.end('HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n')
  })
  return http
}

/** Serves one connection of HTTP/2, whose requests may be answered in any order. */
async function serveHttp2(connection: Connection, server: Listener, settings: HttpSettings): Promise<void> {
  const http = createHttp2Server()
  http.on('session', (session) => {
    session.on('error', () => connection.destroy())
    const end = async (): Promise<void> => session.destroy()
    const link: Link = { connection, server, http2: true, end }
    session.on('close', () => connection.destroy())
    http.on('request', (request, response) => {
      // A client may give up a stream; the other streams go on.
      response.on('error', () => {})
      respond(request, response, settings, link).catch((error: unknown) => {
        if (!response.stream?.destroyed) server.drop(connection, error)
      })
    })
  })
  http.emit('connection', connection.stream)
  // Node's session waits for this event, which a TLS socket emits only if Node's own TLS server accepted it.
  if (connection.tls) connection.stream.emit('secureConnect')
  await gone(connection)
}

async function gone(connection: Connection): Promise<void> {
  if (connection.raw.destroyed) return
  await new Promise<void>((resolve) => connection.raw.once('close', () => resolve()))
}
