import type { HttpPlan } from '@retriever/core/internal'
import type { RetrievalContext } from '../../../contract/fetcher.ts'
import { IdleConnection, idleConnections } from '../../../kit/files/open-files.ts'
import { poolKey } from '../../../wire/pool/pool-key.ts'
import { RingReader } from '../../../wire/transport/ring-reader.ts'
import { openProxySocket, openSocket, peerAddressOf, readsIntoMemory } from '../../../wire/transport/socket.ts'
import { Lifetime } from '../../../wire/transport/socket-opened.ts'
import { type SocketReader, StreamReader } from '../../../wire/transport/socket-reader.ts'
import { forwarder, type HttpRequest } from '../request.ts'
import type { Exchange, HttpConnection } from './connection.ts'
import { Http1Connection } from './http1.ts'

/**
 * How many idle connections to a server are kept. Browsers open six to a host; only a batch can use more, and it may
 * have 16.
 */
const maxIdle = 16

/** The connections to one server with the same TLS options, limits and proxy. */
interface Site {
  /** Connections that have room. The one used last is at the end, since the server has least likely closed it. */
  readonly free: HttpConnection[]
  /** How many connections are open or being opened, busy ones too: they come back to this site. */
  connections: number
  /**
   * The first connection with TLS while it opens. All retrievals wait for it, since it serves all of them if it is
   * HTTP/2.
   */
  opening: Promise<unknown> | undefined
  /** Whether the connections speak HTTP/2. Undefined: not known yet. */
  isShared: boolean | undefined
}

/**
 * The connections of one fetcher. Each is used by one retrieval, or by several (HTTP/2), or is idle until the
 * keep-alive timer closes it.
 */
export class ConnectionPool {
  readonly #http2: boolean
  readonly #sites = new Map<string, Site>()
  readonly #all = new Set<HttpConnection>()
  #isClosed = false

  constructor(http2: boolean) {
    this.#http2 = http2
  }

  /** Sends a request on a free connection, or else on a new one. */
  async begin(context: RetrievalContext, plan: HttpPlan, request: HttpRequest): Promise<Exchange> {
    const http2 = this.#http2 && plan.tls !== 'none'
    const key = keyOf(context, plan)
    while (true) {
      const site = this.#site(key, http2)
      const connection = takeFree(site, context, plan.port) ?? (await this.#open(context, plan, site, key, http2))
      if (connection === undefined) continue
      connection.onUsed()
      return connection.begin(request, context.deadline)
    }
  }

  /** Closes all connections. */
  async close(): Promise<void> {
    this.#isClosed = true
    const all = [...this.#all]
    this.#all.clear()
    this.#sites.clear()
    await Promise.all(all.map((connection) => connection.destroy()))
  }

  #site(key: string, http2: boolean): Site {
    let site = this.#sites.get(key)
    if (site === undefined) {
      site = { free: [], connections: 0, opening: undefined, isShared: http2 ? undefined : false }
      this.#sites.set(key, site)
    }
    return site
  }

  /** Opens a connection. Returns undefined if another retrieval has opened one that may serve this one, too. */
  async #open(
    context: RetrievalContext,
    plan: HttpPlan,
    site: Site,
    key: string,
    http2: boolean,
  ): Promise<HttpConnection | undefined> {
    if (site.opening !== undefined && site.isShared !== false) {
      await context.deadline.within('connect', () => Promise.resolve(site.opening))
      return undefined
    }
    const opening = openHttpConnection(context, plan, http2)
    const leave = (): void => this.#leave(site, key)
    site.connections++
    const settled = opening.then((connection) => connection.onceClosed(leave), leave)
    site.opening = settled
    try {
      const connection = await opening
      if (this.#isClosed) {
        await connection.destroy()
        throw context.error('aborted', 'The client was closed; make another one.')
      }
      site.isShared = connection.isShared
      this.#keep(connection, site)
      return connection
    } finally {
      if (site.opening === settled) site.opening = undefined
    }
  }

  #keep(connection: HttpConnection, site: Site): void {
    this.#all.add(connection)
    const idle = new IdleConnection(() => void connection.destroy())
    connection.onUsed = () => idleConnections.forget(idle)
    connection.onFree = () => {
      if (!connection.isShared && site.free.length >= maxIdle) return void connection.destroy()
      if (!site.free.includes(connection)) site.free.push(connection)
      if (connection.isIdle) idleConnections.keep(idle)
    }
    if (connection.isShared) connection.onFree()
    connection.onceClosed(() => {
      idleConnections.forget(idle)
      this.#all.delete(connection)
      const at = site.free.indexOf(connection)
      if (at >= 0) site.free.splice(at, 1)
    })
  }

  /** Notes that a connection has ended, or could not be opened. */
  #leave(site: Site, key: string): void {
    site.connections--
    if (site.connections === 0) this.#sites.delete(key)
  }
}

function takeFree({ free }: Site, { addresses, network }: RetrievalContext, port: number): HttpConnection | undefined {
  for (let at = free.length - 1; at >= 0; at--) {
    const connection = free[at] as HttpConnection
    const { hasRoom, isShared, peerAddress } = connection
    // The caller's own URL may have opened it to an address to which no redirect may lead (threats.md case 21: DNS
    // rebinding).
    const isAllowed =
      peerAddress === undefined
        ? network?.connect === undefined || addresses?.isPointedTo !== true
        : addresses?.allows(peerAddress, port) !== false
    if (hasRoom && !isAllowed) continue
    if (!hasRoom || !isShared) free.splice(at, 1)
    if (hasRoom) return connection
  }
  return undefined
}

/**
 * Makes the key of a site. Connections with other TLS options, limits or proxies are not shared (threats.md case 38: a
 * connection that was another's).
 */
function keyOf(context: RetrievalContext, { tls, host, port }: HttpPlan): string {
  return `${tls} ${host} ${port} ${context.limits.maxReply} ${poolKey(context, host, port, tls !== 'none')}`
}

/**
 * Opens a connection under the retrieval's deadline. Once open, it belongs to the pool. `http2` says whether HTTP/2 may
 * be offered.
 */
async function openHttpConnection(context: RetrievalContext, plan: HttpPlan, http2: boolean): Promise<HttpConnection> {
  const lifetime = new Lifetime()
  const unlink = context.deadline.onAbort(() => lifetime.end('The retrieval has ended'))
  const proxy = forwarder(plan, context)
  const isSecure = plan.tls !== 'none'
  const ringReader = readsIntoMemory(context, isSecure) ? new RingReader({ isSecure }) : undefined
  const alpn = http2 ? ['h2', 'http/1.1'] : ['http/1.1']
  try {
    const socket = await (proxy === null
      ? openSocket(context, { ...plan, alpn, provesEnd: true }, lifetime, ringReader?.onread)
      : openProxySocket(context, proxy, lifetime))
    ringReader?.attach(socket)
    const peerAddress = peerAddressOf(context, socket)
    if ('alpnProtocol' in socket && socket.alpnProtocol === 'h2') {
      const { Http2Connection } = await import('./http2.ts')
      // The socket may have closed while the module was loaded, and a session would never report that.
      if (socket.destroyed) {
        const message = 'The server closed the connection without an answer; try again.'
        throw context.error('receive-failed', message, { phase: 'request', transient: true })
      }
      ringReader?.giveBack()
      return new Http2Connection(socket, plan, context.limits.maxReply, peerAddress)
    }
    const source: SocketReader = ringReader ?? new StreamReader(socket)
    return new Http1Connection(socket, source, context.limits.maxReply, proxy, peerAddress)
  } finally {
    unlink()
  }
}
