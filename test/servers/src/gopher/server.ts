import { RoutedListener } from '../files/routed-listener.ts'
import { type FileOptions, fileChecks, ServedFiles } from '../files/served-files.ts'
import { type Checks, checkOptions, flag } from '../options.ts'
import { type RouteOptions, Routes } from '../routes.ts'
import { type FileServer, type ServerOptions, serverChecks } from '../test-server.ts'
import { type GopherHandler, type GopherReply, gopherHandler } from './handler.ts'
import { serveGopher } from './session.ts'

export interface GopherServerOptions extends ServerOptions, FileOptions {
  /**
   * Whether the server answers Gopher+ requests and marks items with `+`. Default true; false imitates a server of
   * 1993.
   */
  readonly gopherPlus?: boolean
}

/** A running Gopher server. */
export interface GopherServer extends FileServer {
  /**
   * Answers a selector such as `/items/:id` or `/files/*`. The latest route comes first. If a handler returns
   * undefined, the next route or the files answer; if it throws, the client gets an error item.
   */
  route(selector: string, handler: GopherHandler | GopherReply, options?: RouteOptions): void
}

type OwnOptions = Omit<GopherServerOptions, keyof FileOptions>

export const gopherChecks: Checks<OwnOptions> = { ...serverChecks, gopherPlus: flag }

/** A Gopher server: RFC 1436, and of Gopher+ `+`, `!`, `$` and one `+ASK` form. */
export async function startGopherServer(options: GopherServerOptions = {}): Promise<GopherServer> {
  checkOptions('startGopherServer', options, { ...gopherChecks, ...fileChecks })
  return startGopherOn(new ServedFiles(options), options)
}

/** Starts a server; its options must have been checked. */
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
