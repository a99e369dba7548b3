import type { OnReadOpts, Socket } from 'node:net'
import type { RetrievalContext } from '../../plugin/fetcher.ts'
import type { ProxyServer } from '../../plugin/network.ts'
import type { AbortScope } from './abort-scope.ts'
import { Connection } from './connection.ts'
import { dial, dialProxy, type Peer, secure } from './dial.ts'

/**
 * Opens a connection under the deadline, through the context's proxy where there is one: both address families in turn, TLS where
 * the plan says `implicit`. Rejects with host-not-found, connect-failed, certificate, tls-failed or timeout, and for what is wrong
 * with a proxy also with auth-required, auth-failed, protocol-violation, receive-failed or limit-exceeded.
 */
export async function openConnection(context: RetrievalContext, peer: Peer): Promise<Connection> {
  const socket = await openSocket(context, peer)
  return new Connection(socket, context)
}

/**
 * The bare socket of openConnection, for a library that wants one. It is destroyed once the deadline must end, or
 * `lifetime`, where the connection is to outlive its retrieval. `onread` is where the octets of a connection without
 * TLS go.
 */
export async function openSocket(
  context: RetrievalContext,
  peer: Peer,
  lifetime: AbortScope = context.deadline,
  onread?: OnReadOpts,
): Promise<Socket> {
  const { deadline, proxy } = context
  const socket = await deadline.within('connect', () =>
    // A context that somebody else made may not know of proxies.
    proxy ? openThrough(context, proxy, peer, lifetime) : dial(context, peer, lifetime, onread),
  )
  // The address takes a call to the system.
  if (context.hasListener !== false) {
    announce(context, serverAddress(context, socket, peer.host), peer.port, peer.tls === 'implicit')
  }
  return socket
}

/** A connection to the context's proxy itself, to ask it for whole URLs (RFC 9112 3.2.2). As openSocket. */
export async function openProxySocket(
  context: RetrievalContext,
  proxy: ProxyServer,
  lifetime: AbortScope,
): Promise<Socket> {
  const socket = await context.deadline.within('connect', () => dialProxy(context, proxy, lifetime))
  announce(context, socket.remoteAddress ?? proxy.host, proxy.port, proxy.kind === 'https')
  return socket
}

/** What the proxy of each socket was told. */
const proxyTargets = new WeakMap<Socket, string>()

/** One deadline for all of it: the proxy's name, its connection and its TLS, the tunnel, and TLS with the server within that. */
async function openThrough(
  context: RetrievalContext,
  proxy: ProxyServer,
  peer: Peer,
  lifetime: AbortScope,
): Promise<Socket> {
  const { openTunnel } = await import('../proxy/tunnel.ts')
  const tunnel = await openTunnel(context, proxy, peer, () => dialProxy(context, proxy, lifetime))
  const socket = peer.tls === 'implicit' ? await secure(context, peer, tunnel.socket, lifetime) : tunnel.socket
  proxyTargets.set(socket, tunnel.host)
  return socket
}

/**
 * Where another connection to the same server goes, as FTP's for data: to the address of this one, and through a proxy to what that
 * was told, since the socket's own address is the proxy's. `host` is the server's name.
 */
export function serverAddress({ proxy }: RetrievalContext, socket: Socket, host: string): string {
  return (proxy ? proxyTargets.get(socket) : socket.remoteAddress) ?? host
}

function announce({ emit, url, proxy }: RetrievalContext, address: string, port: number, tls: boolean): void {
  emit({ type: 'connected', url, address, port, tls, proxy: proxy?.url ?? null })
}
