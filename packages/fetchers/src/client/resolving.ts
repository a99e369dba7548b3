import { hostname } from 'node:os'
import { domainToASCII } from 'node:url'
import type { Resolution, ResolveOptions } from '@retriever/core'
import type { ClientOptions } from './client-options.ts'

/** The options with which a client resolves URLs. */
export function readResolving(options: ClientOptions): ResolveOptions {
  const { schemes, gateways, defaults, fetchers } = options
  return {
    schemes: [...(schemes ?? [])],
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
    return String(url)
  } catch {
    // An object without toString() is no URL, and its outcome says so.
    return ''
  }
}
