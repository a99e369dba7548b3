import type { LookupAddress, LookupOptions } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import type { RetrievalError } from '@retriever/core'
import { adviceText } from '@retriever/core/internal'
import type { RetrievalContext } from '../../contract/fetcher.ts'

/**
 * Looks up the allowed addresses of a host, at least one. Rejects with `refused` if none is allowed, otherwise as
 * dns.lookup does. A plug-in's context may have no rules.
 */
export async function addressesOf(
  context: RetrievalContext,
  host: string,
  port: number,
  options: LookupOptions = {},
): Promise<readonly LookupAddress[]> {
  const { addresses } = context
  const family = isIP(host)
  const only = context.network?.family
  if (family !== 0 && only !== undefined && family !== only) throw wrongFamily(context, host, only)
  if (addresses === undefined && family !== 0) return [{ address: host, family }]
  const since = performance.now()
  const asked = only === undefined ? options : { ...options, family: only }
  const all = await (addresses?.of(host, port, asked) ?? lookUp(host, asked))
  const found = only === undefined ? all : all.filter((each) => each.family === only)
  if (found.length < all.length && found.length === 0) throw noneOfFamily(host)
  if (family === 0 && found.length > 0) tellFound(context, host, found, since)
  if (addresses === undefined || found.length > 0) return found
  throw context.error('refused', `Refused: no connection to ${host} because ${addresses.rule}`, {
    phase: 'policy',
    advice: addresses.advice,
  })
}

/**
 * IPv4 comes first, since a datagram goes to the first address alone, and servers of both families answer on IPv4, too.
 */
const loopback: readonly LookupAddress[] = [
  { address: '127.0.0.1', family: 4 },
  { address: '::1', family: 6 },
]

/**
 * Looks up all addresses of a name. `localhost` and the names below it mean this machine, so no resolver is asked (RFC
 * 6761 6.3). Rejects as dns.lookup does.
 */
export async function lookUp(host: string, options: LookupOptions = {}): Promise<readonly LookupAddress[]> {
  if (isLoopbackName(host)) return loopback
  const { lookup } = await import('node:dns/promises')
  return lookup(host, { ...options, all: true })
}

export function isLoopbackName(host: string): boolean {
  return /^(?:.+\.)?localhost\.?$/i.test(host)
}

function wrongFamily(context: RetrievalContext, host: string, only: 4 | 6): RetrievalError {
  const advice = { option: 'network.family', value: only } as const
  const message = `No connection to ${host}: ${adviceText(advice)} does not allow an address of its family, IPv4 or IPv6.`
  return context.error('connect-failed', message, { phase: 'lookup', advice })
}

/** Makes the error that the resolver gives for a name without an address of the family. */
function noneOfFamily(host: string): Error {
  return Object.assign(new Error(host), { code: 'ENOTFOUND' })
}

function tellFound(
  { emit, url, stopwatch, hasListener }: RetrievalContext,
  host: string,
  found: readonly LookupAddress[],
  since: number,
): void {
  stopwatch?.mark('lookedUp')
  if (hasListener === false) return
  const ms = performance.now() - since
  emit({ type: 'looked-up', url, host, addresses: found.map(({ address }) => address), ms })
}

/** Makes a lookup function for net.connect, which then connects to exactly the addresses that were checked here. */
export function lookupFor(context: RetrievalContext, port: number): LookupFunction {
  return (host, options, callback) => {
    addressesOf(context, host, port, options).then(
      (found) => {
        if (options.all) callback(null, [...found])
        else callback(null, found[0]?.address ?? '', found[0]?.family)
      },
      (error: NodeJS.ErrnoException) => callback(error, ''),
    )
  }
}
