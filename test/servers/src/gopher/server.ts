import { Listener, type ServerOptions, type TestServer } from '../listener.ts'
import { type FileOptions, seedTree } from '../seed.ts'
import type { Tree } from '../tree.ts'
import { serveGopher } from './session.ts'

export interface GopherServerOptions extends ServerOptions, FileOptions {
  /** Answers Gopher+ requests and marks items with `+`. Default true; false is a server of 1993. */
  readonly gopherPlus?: boolean
}

/** A Gopher server: RFC 1436, and Gopher+ as far as `+`, `!`, `$` and one `+ASK` form go. */
export async function startGopherServer(options: GopherServerOptions = {}): Promise<TestServer> {
  return startGopherOn(seedTree(options), options)
}

export async function startGopherOn(tree: Tree, options: GopherServerOptions): Promise<TestServer> {
  const gopherPlus = options.gopherPlus ?? true
  const listener = new Listener(
    {
      name: 'gopher',
      scheme: 'gopher',
      serve: (connection, server) => serveGopher(connection, server, { tree, gopherPlus }),
    },
    options,
  )
  return listener.listen(options.port ?? 0)
}
