import { RoutedListener } from '../files/routed-listener.ts'
import { type FileOptions, fileChecks, ServedFiles } from '../files/served-files.ts'
import { type Checks, checkOptions, flag } from '../options.ts'
import { type RouteOptions, Routes } from '../routes.ts'
import { type FileServer, type ServerOptions, serverChecks } from '../test-server.ts'
import { type GopherHandler, type GopherReply, gopherHandler } from './handler.ts'
import { serveGopher } from './session.ts'

export interface GopherServerOptions extends ServerOptions, FileOptions {
  /** Answers Gopher+ requests and marks items with `+`. Default true; false is a server of 1993. */
  readonly gopherPlus?: boolean
}

/** A running Gopher server. */
export interface GopherServer extends FileServer {
  /**
   * Answers a selector: `/items/:id`, `/files/*`. The latest route comes first; one that gives undefined leaves the
   * request to the next, and to the files. A handler that throws is answered by an error item.
   */
  route(selector: string, handler: GopherHandler | GopherReply, options?: RouteOptions): void
}

type OwnOptions = Omit<GopherServerOptions, keyof FileOptions>

export const gopherChecks: Checks<OwnOptions> = { ...serverChecks, gopherPlus: flag }

/** A Gopher server: RFC 1436, and Gopher+ as far as `+`, `!`, `$` and one `+ASK` form go. */
export async function startGopherServer(options: GopherServerOptions = {}): Promise<GopherServer> {
  checkOptions('startGopherServer', options, { ...gopherChecks, ...fileChecks })
  return startGopherOn(new ServedFiles(options), options)
}

/** The options have been checked. */
export async function startGopherOn(tree: ServedFiles, options: OwnOptions): Promise<GopherServer> {
  const gopherPlus = options.gopherPlus ?? true
  const routes = new Routes<GopherHandler | GopherReply>(gopherHandler)
  const listener = new RoutedListener(
    {
      name: 'gopher',
      scheme: 'gopher',
      serve: (connection, server) => serveGopher(connection, server, { tree, gopherPlus, routes }),
    },
    options,
    tree,
    routes,
  )
  return listener.listen(options.port ?? 0)
}
