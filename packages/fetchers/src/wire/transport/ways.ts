/** The ways to a server that network options ask for; loaded only if there are such options. */
import { isIP, type NetConnectOpts } from 'node:net'
import { networkInterfaces } from 'node:os'
import type { RetrievalError } from '@retriever/core'
import { adviceText } from '@retriever/core/internal'
import type { RetrievalContext } from '../../contract/fetcher.ts'
import type { Network } from '../../contract/network.ts'
import type { Peer } from './dial.ts'
import { addressesOf, lookUp, lookupFor } from './lookup.ts'
import { connectError } from './socket-error.ts'

type Family = 4 | 6

/** Returns where to connect to for a host and port: the first entry of network.connectTo that fits decides. */
export function targetOf({ connectTo }: Network, host: string, port: number): { host: string; port: number } {
  for (const [from, to] of connectTo) {
    const fits = (from.host === null || from.host === host) && (from.port === null || from.port === port)
    if (fits) return { host: to.host ?? host, port: to.port ?? port }
  }
  return { host, port }
}

/** Returns Node's options for each way to the peer, in the order to try. Rejects if there is none. */
export async function waysTo(
  context: RetrievalContext,
  network: Network,
  peer: Peer,
): Promise<readonly NetConnectOpts[]> {
  const { host, port } = peer
  if (network.socketPath !== undefined && !peer.isFurther) return [{ path: network.socketPath }]
  const isBound = network.interface ?? network.localAddress ?? network.localPort
  if (isBound !== undefined) return boundWays(context, network, peer)
  // Node does not look up an address, so its check by the lookup function is done here.
  if (isIP(host) !== 0) await addressesOf(context, host, port)
  return [{ host, port, lookup: lookupFor(context, port) }]
}

/** Returns the ways from local addresses and ports: one for each address, since Node then tries only one address. */
async function boundWays(
  context: RetrievalContext,
  network: Network,
  { host, port }: Peer,
): Promise<readonly NetConnectOpts[]> {
  const locals = await localAddresses(context, network)
  const addresses = await addressesOf(context, host, port).catch((cause: unknown) => {
    throw connectError(context, { host, port }, cause)
  })
  const [first, last] = network.localPort ?? [0, 0]
  const ports = Array.from({ length: last - first + 1 }, (_, index) => first + index)
  const ways = addresses.flatMap(({ address, family }) => {
    const local = locals === null ? {} : locals.get(family)
    if (local === undefined) return []
    return ports.map((localPort) => ({ host: address, port, ...local, ...(localPort > 0 && { localPort }) }))
  })
  if (ways.length === 0) {
    const message = `No connection to ${host}: the interface or address to connect from is not of the same family, IPv4 or IPv6.`
    throw context.error('connect-failed', message, { phase: 'connect' })
  }
  return ways
}

/** Returns the local address for each family; null if the system chooses it. */
async function localAddresses(
  context: RetrievalContext,
  network: Network,
): Promise<ReadonlyMap<number, { readonly localAddress: string }> | null> {
  const { interface: name, localAddress } = network
  if (name !== undefined) {
    const found = networkInterfaces()[name]
    if (found === undefined) throw unusable(context, network, 'this machine has no such interface')
    return byFamily(found.map(({ address, family }) => [family === 'IPv4' ? 4 : 6, address]))
  }
  if (localAddress === undefined) return null
  const family = isIP(localAddress)
  if (family === 4 || family === 6) return byFamily([[family, localAddress]])
  const found = await lookUp(localAddress).catch(() => {
    throw unusable(context, network, 'it is no address of this machine, and no name of one')
  })
  return byFamily(found.map(({ address, family }) => [family === 4 ? 4 : 6, address]))
}

/** Picks the first address of each family. */
function byFamily(
  found: readonly (readonly [Family, string])[],
): ReadonlyMap<number, { readonly localAddress: string }> {
  return new Map(found.toReversed().map(([family, address]) => [family, { localAddress: address }]))
}

function unusable(context: RetrievalContext, network: Network, why: string): RetrievalError {
  const name = network.interface ?? network.localAddress
  const advice = {
    option: network.interface === undefined ? 'network.localAddress' : 'network.interface',
    ...(name !== undefined && { value: name }),
  } as const
  const message = `No connection can be made from ${adviceText(advice)}: ${why}.`
  return context.error('connect-failed', message, { phase: 'connect', advice })
}
