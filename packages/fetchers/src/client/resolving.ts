import { hostname } from 'node:os'
import { domainToASCII } from 'node:url'
import type { Resolution } from '@retriever/core'
import { type FindingOptions, http, resolveBy, type SchemeFinder } from '@retriever/core/internal'
import type { Protocol } from '../contract/about.ts'
import type { ClientOptions } from './client-options.ts'

/** The options with which a client resolves URLs. `builtin` finds the schemes that it knows beside the caller's. */
export function readResolving(
  options: ClientOptions,
  builtin: SchemeFinder,
  protocols: readonly Protocol[],
): FindingOptions {
  const { schemes, gateways, defaults, fetchers } = options
  const given = [...(schemes ?? []), ...(fetchers ?? []).flatMap((fetcher) => fetcher.schemes ?? [])]
  return {
    find: (name) => given.find((scheme) => scheme.name === name) ?? builtin(name),
    // A client without protocols of its own gets schemes with its fetchers.
    adding: protocols.length === 0 ? 'fetchers' : 'schemes',
    ...(gateways && { gateways: { ...gateways } }),
    defaults: { ...defaults, localHosts: localHostsOf(options) },
    fetchable: (fetchers ?? []).map(({ mechanism }) => mechanism),
    domainToAscii: domainToASCII,
    whatwgHost,
  }
}

/** This machine's own names, in lower case. */
export function localHostsOf({ defaults }: Pick<ClientOptions, 'defaults'>): readonly string[] {
  return (defaults?.localHosts ?? [hostname()]).map((name) => name.toLowerCase())
}

/** The host that `new URL()` finds, for the finding `parser-disagreement`; null if there is none. */
function whatwgHost(url: string): string | null {
  try {
    return new URL(url).hostname
  } catch {
    return null
  }
}

/** The URL as it was given. */
export function textOf(url: string | URL | Resolution): string {
  if (typeof url === 'object' && url !== null && 'plan' in url) return url.url
  try {
    return String(url ?? '')
  } catch {
    // An object without toString() is no URL, and its outcome says so.
    return ''
  }
}

/** The resolution of a host and what may follow it, as in an http URL, for options that name a place. */
export function resolvePlace(text: string): Resolution {
  return resolveBy(`http://${text}`, { find: () => http, domainToAscii: domainToASCII })
}
