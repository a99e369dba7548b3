import type { Resolution } from '@retriever/core'
import type { ProxyServer } from '../../contract/network.ts'
import { route as routed, tunnelIfMoved } from '../network/route.ts'
import { enforceDirect, enforceNetwork, proxyAddresses } from '../policy.ts'
import { isService, noFetcher } from '../registry.ts'
import type { Retrieval } from '../retrieval.ts'
import type { Hop, Next } from './hop.ts'

/** Finds the proxy on the way, the plan for it, and the fetcher. A service without a fetcher has a program. */
export async function route<Result>(hop: Hop, next: Next<Result>): Promise<Result> {
  const { retrieval, resolution, context } = hop
  const { policy, registry, network } = retrieval.settings
  const { plan, scheme } = resolution
  enforceNetwork(policy, resolution, network)
  hop.proxy = await proxyFor(retrieval, resolution)
  if (hop.proxy !== null) enforceDirect(policy, resolution, hop.proxy, await proxyAddresses(policy, hop.proxy, context))
  hop.routed = routed(plan, hop.proxy)
  const { mechanism } = hop.routed
  hop.fetcher = await registry.get(mechanism)
  retrieval.deadline.throwIfAborted()
  if (hop.fetcher === undefined && !isService(scheme, registry)) throw noFetcher(scheme, mechanism, registry, context)
  return next(hop)
}

/** Chooses the proxy for each hop: one host's proxy and its login are not used for another (threats.md case 50). */
async function proxyFor({ settings, deadline }: Retrieval, { plan, scheme }: Resolution): Promise<ProxyServer | null> {
  const { network } = settings
  if (!('port' in plan) || plan.host === null || plan.host === '' || network?.socketPath !== undefined) return null
  const target = { scheme: scheme.name, host: plan.host, port: plan.port }
  const chosen = settings.proxyFor(target)
  const proxy = await (chosen instanceof Promise ? deadline.unlimited(() => chosen) : chosen)
  return tunnelIfMoved(proxy, network)
}
