import type { Protocol } from '../listener.ts'
import type { RouteOptions, Routes } from '../routes.ts'
import type { ServerOptions } from '../test-server.ts'
import { FileListener } from './file-listener.ts'
import type { ServedFiles } from './served-files.ts'

/** The listener of a protocol that has files, and answers of the user's own. */
export class RoutedListener<Handler> extends FileListener {
  readonly #routes: Routes<Handler>

  constructor(protocol: Protocol, options: ServerOptions, files: ServedFiles, routes: Routes<Handler>) {
    super(protocol, options, files)
    this.#routes = routes
  }

  route(path: string, handler: Handler, options: RouteOptions = {}): void {
    this.#routes.add(path, handler, options)
  }

  override reset(): void {
    super.reset()
    this.#routes.clear()
  }
}
