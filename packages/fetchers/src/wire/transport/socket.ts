import { isIPv4, type OnReadOpts, type Socket } from 'node:net'
import type { RetrievalContext } from '../../contract/fetcher.ts'
import type { Network, ProxyServer } from '../../contract/network.ts'
import { pause } from '../../kit/deadline.ts'
import { whenFilesAllow } from '../../kit/files/open-files.ts'
import { Connection } from './connection.ts'
import { dial, dialProxy, type Peer, secure } from './dial.ts'
import { type AbortScope, Lifetime } from './socket-opened.ts'
import { tellSecured } from './tls-facts.ts'

/**
 * Opens a connection under the deadline, through the context's proxy if there is one. Tries both address families in
 * turn, and begins TLS if `peer.tls` is `implicit`. Rejects with host-not-found, connect-failed, certificate,
 * tls-failed, refused or timeout; because of a proxy also with auth-required, auth-failed, protocol-violation,
 * receive-failed or limit-exceeded.
 */
export async function openConnection(context: RetrievalContext, peer: Peer): Promise<Connection> {
  const socket = await openSocket(context, peer)
  return new Connection(socket, context)
}

/**
 * Opens the bare socket of openConnection. The socket is destroyed when the deadline ends the retrieval, or, if it
 * outlives its retrieval, when `lifetime` is over. `onread` receives the octets if readsIntoMemory() says so.
 */
export async function openSocket(
  context: RetrievalContext,
  peer: Peer,
  lifetime: AbortScope = context.deadline,
  onread?: OnReadOpts,
): Promise<Socket> {
  const { proxy } = context
  const socket = await connected(context, () =>
    // A test's or a plug-in's context may have no proxy.
    proxy && context.network?.socketPath === undefined
      ? openThrough(context, proxy, peer, lifetime)
      : dial(context, peer, lifetime, onread),
  )
  if (context.hasListener !== false) {
    const { socketPath } = context.network ?? {}
    const address = peer.isFurther ? undefined : socketPath
    announce(context, socket, address ?? serverAddress(context, socket, peer.host), peer)
    if (peer.tls === 'implicit') tellSecured(context, peer.host, socket)
  }
  return socket
}

/** Opens a socket for a session that outlives its retrieval: once the socket is open, the deadline does not end it. */
export async function openSessionSocket(context: RetrievalContext, { host, port, tls }: Peer): Promise<Socket> {
  const opening = new Lifetime()
  const unlink = context.deadline.onAbort(() => opening.end('The retrieval has ended'))
  try {
    return await openSocket(context, { host, port, tls }, opening)
  } finally {
    unlink()
  }
}

/** Connects to the context's proxy itself, to ask it for whole URLs (RFC 9112 3.2.2). Works as openSocket does. */
export async function openProxySocket(
  context: RetrievalContext,
  proxy: ProxyServer,
  lifetime: AbortScope,
): Promise<Socket> {
  const socket = await connected(context, () => dialProxy(context, proxy, lifetime))
  announce(context, socket, socket.remoteAddress ?? proxy.host, {
    port: proxy.port,
    tls: proxy.kind === 'https' ? 'implicit' : 'none',
  })
  if (proxy.kind === 'https') tellSecured(context, proxy.host, socket)
  return socket
}

/** Connects within connectTimeout, which does not count the wait for a free descriptor. */
function connected({ deadline }: RetrievalContext, open: () => Promise<Socket>): Promise<Socket> {
  return whenFilesAllow(
    () => deadline.within('connect', open),
    (milliseconds) => pause(milliseconds, deadline),
  )
}

/** For each socket, the name or address of the server that the proxy was given. */
const proxyTargets = new WeakMap<Socket, string>()

/**
 * Connects through a proxy. connectTimeout covers the proxy's name, connection and TLS, the tunnel, and the server's
 * TLS.
 */
async function openThrough(
  context: RetrievalContext,
  proxy: ProxyServer,
  peer: Peer,
  lifetime: AbortScope,
): Promise<Socket> {
  const { openTunnel } = await import('../proxy/tunnel.ts')
  const target = context.network === undefined || peer.isFurther ? peer : await otherPlace(context.network, peer)
  const tunnel = await openTunnel(context, proxy, target, () => dialProxy(context, proxy, lifetime))
  const socket = peer.tls === 'implicit' ? await secure(context, peer, tunnel.socket, lifetime) : tunnel.socket
  proxyTargets.set(socket, tunnel.host)
  return socket
}

async function otherPlace(network: Network, peer: Peer): Promise<Peer> {
  const { targetOf } = await import('./ways.ts')
  return { ...peer, ...targetOf(network, peer.host, peer.port) }
}

/**
 * Returns the address of the server at the other end. Undefined if it is not known: the socket of a proxy, or one of
 * the caller's, leads to another place.
 */
export function peerAddressOf({ proxy, network }: RetrievalContext, socket: Socket): string | undefined {
  return proxy || network?.connect !== undefined ? undefined : socket.remoteAddress
}

/**
 * Whether a connection can read into its owner's memory (`onread`). Proxies and the caller's streams cannot, nor can
 * TLS that begins on an open socket, or that HTTP/2 of Deno takes over.
 */
export function readsIntoMemory({ proxy, network }: RetrievalContext, isSecure: boolean): boolean {
  if (proxy) return false
  return isSecure ? network === undefined && !('deno' in process.versions) : network?.connect === undefined
}

/**
 * Returns the host for another connection to the same server, such as FTP's data connection. That is the address of
 * this connection, or, through a proxy, the host that the proxy was given: the socket's own address is the proxy's.
 * `host` is the server's name.
 */
export function serverAddress({ proxy, network }: RetrievalContext, socket: Socket, host: string): string {
  if (proxy) return proxyTargets.get(socket) ?? host
  if (network?.connect !== undefined) return host
  // Asking for the address of a socket takes a system call.
  return isIPv4(host) ? host : (socket.remoteAddress ?? host)
}

function announce(
  { emit, url, proxy }: RetrievalContext,
  { localAddress, localPort }: Socket,
  address: string,
  { port, tls }: Pick<Peer, 'port' | 'tls'>,
): void {
  const local = localAddress !== undefined && localPort !== undefined ? { localAddress, localPort } : {}
  emit({ type: 'connected', url, address, port, tls: tls === 'implicit', ...local, proxy: proxy?.url ?? null })
}
