import { connect as connectTcp, isIP, type OnReadOpts, type Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import { type ConnectionOptions, connect as connectTls, type TLSSocket } from 'node:tls'
import { RetrievalError } from '@retriever/core'
import type { TlsMode } from '@retriever/core/internal'
import type { RetrievalContext } from '../../contract/fetcher.ts'
import type { Connect, Network, ProxyServer } from '../../contract/network.ts'
import { addressesOf, lookupFor } from './lookup.ts'
import { checkPin } from './pins.ts'
import { connectError } from './socket-error.ts'
import { type AbortScope, socketOpened, whenOver } from './socket-opened.ts'
import { watchReset } from './tcp-end.ts'
import { watchEnd } from './tls-end.ts'
import { tlsOptions } from './tls-options.ts'

/** The server to connect to, and the protocols of the connection. */
export interface Peer {
  readonly host: string
  readonly port: number
  readonly tls: TlsMode
  /** The protocols to offer within TLS, best first (RFC 7301). */
  readonly alpn?: readonly string[]
  /** True: after a connection with TLS has ended, isCut() tells whether close_notify was missing. */
  readonly provesEnd?: boolean
  /** True for a further connection of the retrieval, such as FTP's for data. Its times are not noted. */
  readonly isFurther?: boolean
}

/** `name` stands for host and port in messages. */
type NamedPeer = Peer & { readonly name?: string }

/** Connects to the peer itself. Node tries both address families in turn (RFC 8305). TLS begins if it is `implicit`. */
export async function dial(
  context: RetrievalContext,
  peer: NamedPeer,
  lifetime: AbortScope,
  onread?: OnReadOpts,
): Promise<Socket> {
  const { host, port } = peer
  if (context.network !== undefined) return dialByOptions(context, context.network, peer, lifetime, onread)
  // Node does not look up an address, so its check by the lookup function is done here.
  if (isIP(host) !== 0) await addressesOf(context, host, port)
  const lookup = lookupFor(context, port)
  const options = { host, port, noDelay: true, lookup, ...(onread !== undefined && { onread }) }
  const socket = peer.tls === 'implicit' ? beginTls(context, peer, options) : connectTcp(options)
  return opened(context, peer, socket, lifetime)
}

/** Connects as the network options say: tries each way in turn, then begins TLS by the name of the peer. */
async function dialByOptions(
  context: RetrievalContext,
  network: Network,
  peer: NamedPeer,
  lifetime: AbortScope,
  onread?: OnReadOpts,
): Promise<Socket> {
  const { targetOf, waysTo } = await import('./ways.ts')
  const target = peer.isFurther ? peer : { ...peer, ...targetOf(network, peer.host, peer.port) }
  const isTls = peer.tls === 'implicit'
  if (network.connect !== undefined && network.socketPath === undefined) {
    const given = await dialGiven(context, network.connect, target, lifetime)
    if (given !== null) return isTls ? secure(context, peer, given, lifetime) : given
  }
  const options = { noDelay: true, ...(onread !== undefined && !isTls && { onread }) }
  let failure: unknown
  for (const way of await waysTo(context, network, target)) {
    try {
      const carrier = connectTcp({ ...options, ...way })
      await opened(context, { ...target, tls: 'none' }, carrier, lifetime)
      return isTls ? await secure(context, peer, carrier, lifetime) : carrier
    } catch (error) {
      failure = error
      if (!RetrievalError.is(error) || error.code !== 'connect-failed') throw error
    }
  }
  throw failure
}

/** Lets the caller connect to the place. Null means that the client connects by itself. */
async function dialGiven(
  context: RetrievalContext,
  connect: Connect,
  target: NamedPeer,
  lifetime: AbortScope,
): Promise<Socket | null> {
  const { givenSocket } = await import('./given-socket.ts')
  const socket = await givenSocket(context, connect, target, lifetime)
  if (socket === null) return null
  destroyWhenOver(socket, lifetime)
  if (!target.isFurther) context.stopwatch?.mark('connected')
  // The next read sees the error, as in opened().
  socket.on('error', (error) => socket.destroy(error))
  return socket
}

/**
 * Connects to the proxy, within TLS if it is an https proxy. Its certificate has verification rules of its own, since
 * the proxy gets a login.
 */
export function dialProxy(context: RetrievalContext, proxy: ProxyServer, lifetime: AbortScope): Promise<Socket> {
  const { host, port, kind, url } = proxy
  // The caller chose the proxy, so the rules for addresses do not apply. The client's certificate is not for the proxy.
  const { addresses: _addresses, tls: options, network, ...rest } = context
  const { ca, extraCa, proxyCa = ca } = options
  const toProxy = network === undefined ? undefined : { ...network, connectTo: [] }
  const verifying = {
    ...rest,
    network: toProxy,
    tls: {
      ...options.proxy,
      ...(proxyCa !== undefined && { ca: proxyCa }),
      ...(extraCa !== undefined && { extraCa }),
    },
  }
  const tls = kind === 'https' ? 'implicit' : 'none'
  return dial(verifying, { host, port, tls, name: `the proxy ${url}` }, lifetime)
}

/** Begins TLS with the peer, by the peer's own name, over a connection that leads there. */
export async function secure(
  context: RetrievalContext,
  peer: Peer,
  carrier: Socket,
  lifetime: AbortScope,
): Promise<Socket> {
  if (carrier.readableLength > 0) {
    // In TLS the client speaks first, so octets that came earlier are wrong. TLS would not see them (threats.md case
    // 81).
    carrier.destroy()
    const message = 'Octets came through the proxy before TLS had begun; the connection was closed.'
    throw context.error('protocol-violation', message)
  }
  context.deadline.phase = 'tls'
  const socket = beginTlsOver(carrier, context, peer)
  // Within the TLS of an https proxy, closing one socket does not close the other.
  socket.once('close', () => carrier.destroy())
  carrier.once('close', () => socket.destroy())
  return opened(context, peer, socket, lifetime, carrier)
}

/** Begins TLS. If the options throw, such as for a missing CA file, it closes the connection and throws the same. */
function beginTlsOver(carrier: Socket, context: RetrievalContext, peer: Peer): TLSSocket {
  try {
    return beginTls(context, peer, { socket: carrier, host: peer.host })
  } catch (error) {
    carrier.destroy()
    throw error
  }
}

function beginTls(context: RetrievalContext, peer: Peer, place: ConnectionOptions): TLSSocket {
  const socket = connectTls({ ...place, ...tlsOptions(peer.host, context.tls), ...alpn(context, peer) })
  if (peer.provesEnd === true) watchEnd(socket)
  return socket
}

function alpn({ tls }: RetrievalContext, peer: Peer): ConnectionOptions {
  return peer.alpn === undefined || tls.alpn === false ? {} : { ALPNProtocols: [...peer.alpn] }
}

async function opened(
  context: RetrievalContext,
  peer: NamedPeer,
  socket: Socket | TLSSocket,
  lifetime: AbortScope,
  below?: Duplex,
): Promise<Socket> {
  destroyWhenOver(socket, lifetime)
  const { deadline } = context
  const stopwatch = peer.isFurther ? undefined : context.stopwatch
  if (peer.tls === 'none') watchReset(socket)
  if (peer.tls === 'implicit') {
    socket.once('connect', () => {
      deadline.phase = 'tls'
      stopwatch?.mark('connected')
    })
  }
  try {
    const event = peer.tls === 'implicit' ? 'secureConnect' : 'connect'
    await socketOpened(socket, event, { lifetime, ...(below !== undefined && { below }) })
    stopwatch?.mark(peer.tls === 'implicit' ? 'secured' : 'connected')
    checkPin(context, peer.name ?? peer.host, socket, peer.name === undefined ? 'tls.pins' : 'tls.proxy.pins')
  } catch (cause) {
    socket.destroy()
    throw RetrievalError.is(cause) ? cause : connectError(context, peer, cause)
  }
  // Without a listener, an error between two reads would end the process. The socket keeps the error for the next read,
  // but not a TLS alert, by which TLS 1.3 refuses a client's certificate: the listener keeps that one.
  socket.on('error', (error) => socket.destroy(error))
  return socket
}

function destroyWhenOver(socket: Socket, lifetime: AbortScope): void {
  const forget = whenOver(lifetime, () => {
    socket.destroy()
  })
  socket.once('close', forget)
}
