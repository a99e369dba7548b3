import type { Server } from 'node:http'
import { GatewayCore } from './core.ts'
import { answerRequest } from './fetch.ts'
import { type GatewayOptions, readOptions } from './options.ts'
import { Pages } from './pages/pages.ts'
import { answerProxied } from './proxy/proxy.ts'
import { openTunnel } from './proxy/tunnel.ts'
import { makeServer } from './server.ts'

/** One of the two ways into a gateway. */
export interface GatewayDoor {
  /** Answers a request. It never rejects: errors are answers, too. */
  fetch(request: Request): Promise<Response>
  /** A server of node:http that answers the same way. It listens once you call its `listen(port, '127.0.0.1')`. */
  readonly server: Server
}

/** Every URL that its client retrieves, for programs that know a proxy and for browsers. */
export interface Gateway extends AsyncDisposable {
  /**
   * A proxy: the URL of a request is that of the resource, `fetch(new Request('gopher://h/1/'))`. Errors are problem
   * details (RFC 9457). Request normalises URLs of the web's schemes, ftp among them.
   */
  readonly proxy: GatewayDoor
  /** Pages for browsers: `/gopher/h/1/` shows `gopher://h/1/`. */
  readonly pages: GatewayDoor
  /** Ends all requests and closes the servers, but not the client. */
  close(): Promise<void>
}

/** Makes a gateway. Throws RetrievalError `invalid-option`. */
export function createGateway(options: GatewayOptions): Gateway {
  const core = new GatewayCore(readOptions(options))
  const proxy = makeServer(core, (asked) => answerProxied(core, asked))
  proxy.on('connect', (request, socket, head) => void openTunnel(core, request, socket, head))
  const shown = new Pages(core, proxy)
  const pages = makeServer(core, (asked) => shown.answer(asked))
  core.servers.push(proxy, pages)
  const close = async (): Promise<void> => {
    core.close()
    await Promise.all(core.servers.map(closed))
  }
  return {
    proxy: {
      server: proxy,
      fetch: (request) => answerRequest(core, request, request.url, (asked) => answerProxied(core, asked)),
    },
    pages: {
      server: pages,
      fetch: (request) => {
        const [, target = '/'] = /^[a-z]+:\/\/[^/?#]*([^#]*)/i.exec(request.url) ?? []
        return answerRequest(core, request, target, (asked) => shown.answer(asked))
      },
    },
    close,
    [Symbol.asyncDispose]: close,
  }
}

function closed(server: Server): Promise<unknown> {
  const whenClosed = new Promise((resolve) => server.close(resolve))
  server.closeAllConnections()
  return whenClosed
}
