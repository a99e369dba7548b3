import type { BatchOptions } from '../client-options.ts'
import type { ClientParts } from '../parts.ts'
import type { Places } from './client-places.ts'
import type { Rate } from './host.ts'
import type { Caps } from './share.ts'

const defaultConcurrency = 16
const defaultPerHost = 4

const made = new WeakMap<ClientParts, Promise<Places>>()

/** The places of a client, which its batches and trees share. */
export function placesOf(parts: ClientParts): Promise<Places> {
  const places = made.get(parts) ?? makePlaces(parts)
  made.set(parts, places)
  return places
}

/** Loads p-queue, which a client of single retrievals does not need. */
async function makePlaces({ options }: ClientParts): Promise<Places> {
  const { Places } = await import('./client-places.ts')
  const { concurrency = defaultConcurrency, perHost = defaultPerHost } = options
  return new Places(concurrency, perHost)
}

/** The caps of one call of retrieveAll() or mapAll(). */
export function capsOf({ options }: ClientParts, call: BatchOptions): Caps {
  const { concurrency = defaultConcurrency, perHost = defaultPerHost } = options
  return {
    concurrency: Math.min(concurrency, call.concurrency ?? concurrency),
    perHost: Math.min(perHost, call.perHost ?? perHost),
    rates: [...ratesOf(options), ...ratesOf(call)],
    givesUp: call.giveUpHosts ?? options.giveUpHosts ?? true,
  }
}

/** The caps of one call of walk() or mirror(): a tree is one host, and may have more places there than a batch. */
export function capsOfTree({ options }: ClientParts, concurrency: number): Caps {
  return {
    concurrency: Math.min(options.concurrency ?? defaultConcurrency, concurrency),
    perHost: Math.min(options.perHost ?? concurrency, concurrency),
    rates: ratesOf(options),
    givesUp: options.giveUpHosts ?? true,
  }
}

function ratesOf({ interval, intervalCap = 1 }: Pick<BatchOptions, 'interval' | 'intervalCap'>): readonly Rate[] {
  return interval === undefined ? [] : [{ interval, cap: intervalCap }]
}
