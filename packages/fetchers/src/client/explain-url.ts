import type { Explanation } from '@retriever/core'
import type { SchemeFinder } from '@retriever/core/internal'
import type { Protocol } from '../contract/about.ts'
import type { RequestOptions } from '../contract/fetcher.ts'
import type { ClientOptions, RetrieveOptions } from './client-options.ts'
import { explainFor } from './explain.ts'
import { readNetwork } from './network/network.ts'
import type { ProxyChoice } from './network/proxy.ts'
import type { KnownOptions } from './options/known.ts'
import { readPolicy } from './policy.ts'
import { readResolving } from './resolving.ts'

/**
 * Explains a URL as a client with these checked options and protocols would retrieve it, and contacts nothing. It makes
 * no client, and loads no fetcher.
 */
export async function explainUrl(
  url: string | URL,
  options: ClientOptions & RetrieveOptions,
  protocols: readonly Protocol[],
  known: KnownOptions,
  builtin: SchemeFinder,
): Promise<Explanation> {
  const { base, cookies, fetchers = [], network, tls } = options
  const given = Object.entries(options).filter(
    ([name, value]) => Object.hasOwn(known.request, name) && value !== undefined,
  )
  const request: RequestOptions = Object.fromEntries(given)
  const resolving = readResolving(options, builtin, protocols)
  return explainFor(String(url), request, {
    policy: { ...readPolicy(options.policy, resolving.find), isFetch: false },
    resolving: { ...resolving, ...(base !== undefined && { base }) },
    proxyFor: await proxyChoice(options),
    network: readNetwork(network),
    tls: tls ?? {},
    cookies,
    fetchers,
    protocols,
    options: known,
  })
}

/** The code of proxies is loaded only if there is one, since their keys need hashes. */
async function proxyChoice({ proxy, proxyTunnel, proxyHeaders, proxyDigest }: ClientOptions): Promise<ProxyChoice> {
  if (proxy === undefined || proxy === null) return () => null
  const { readProxy } = await import('./network/proxy.ts')
  return readProxy(proxy, { tunnel: proxyTunnel, headers: { ...proxyHeaders }, digest: proxyDigest })
}
