import type { Socket } from 'node:net'
import { RetrievalError } from '@retriever/core'
import type { RetrievalContext } from '../../contract/fetcher.ts'
import type { ProxyServer } from '../../contract/network.ts'
import { Connection } from '../transport/connection.ts'
import type { Peer } from '../transport/dial.ts'
import { addressesOf } from '../transport/lookup.ts'
import { connectError } from '../transport/socket-error.ts'
import { connectByHttp, proxyAuthenticator } from './http-connect.ts'
import { connectBySocks4, socks4Obstacle } from './socks4.ts'
import { connectBySocks } from './socks5.ts'

/** A connection to the server through a proxy. */
export interface Tunnel {
  readonly socket: Socket
  /** The host that we named to the proxy: the server's name, or its address if we looked it up here. */
  readonly host: string
}

/**
 * Makes the proxy connect to the peer. Reads nothing after the proxy's own answer, since those octets are the peer's.
 */
export async function openTunnel(
  context: RetrievalContext,
  proxy: ProxyServer,
  peer: Peer,
  dialProxy: () => Promise<Socket>,
): Promise<Tunnel> {
  const hosts = await hostsFor(context, proxy, peer)
  for (const [index, host] of hosts.entries()) {
    try {
      return { socket: await connected(context, proxy, { host, port: peer.port }, dialProxy), host }
    } catch (error) {
      // The proxy cannot reach this address, but perhaps the next one.
      if (isUnreachable(error) && index + 1 < hosts.length) continue
      throw error
    }
  }
  throw context.error('host-not-found', `The name ${peer.host} has no address.`, { phase: 'lookup' })
}

async function connected(
  context: RetrievalContext,
  proxy: ProxyServer,
  target: { readonly host: string; readonly port: number },
  dialProxy: () => Promise<Socket>,
): Promise<Socket> {
  const attempt = proxyAuthenticator(proxy).begin()
  while (true) {
    const socket = await dialProxy()
    const connection = new Connection(socket, context)
    try {
      if (proxy.kind === 'socks4' || proxy.kind === 'socks4a') {
        await connectBySocks4(context, proxy, connection, target)
        return socket
      }
      if (proxy.kind === 'socks5' || proxy.kind === 'socks5h') {
        await connectBySocks(context, proxy, connection, target)
        return socket
      }
      if (await connectByHttp(context, proxy, connection, target, attempt)) return socket
      socket.destroy()
    } catch (error) {
      socket.destroy()
      throw error
    }
  }
}

function isUnreachable(error: unknown): boolean {
  return RetrievalError.is(error) && error.code === 'connect-failed'
}

/** Returns the hosts to name to the proxy, in order: the peer's addresses if we look them up here, else its name. */
async function hostsFor(context: RetrievalContext, proxy: ProxyServer, peer: Peer): Promise<readonly string[]> {
  if (proxy.kind !== 'socks4' && proxy.kind !== 'socks5') return [peer.host]
  const found = await lookedUp(context, peer)
  if (proxy.kind === 'socks5') return found
  const possible = found.filter((host) => socks4Obstacle('socks4', host) === null)
  // If none can be named, the first one gives the reason.
  return possible.length > 0 ? possible : found.slice(0, 1)
}

/** Looks up the peer's addresses, in the resolver's order (RFC 6724). */
async function lookedUp(context: RetrievalContext, peer: Peer): Promise<readonly string[]> {
  try {
    return (await addressesOf(context, peer.host, peer.port)).map(({ address }) => address)
  } catch (cause) {
    throw RetrievalError.is(cause) ? cause : connectError(context, peer, cause)
  }
}
