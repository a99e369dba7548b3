import type { Fetcher } from '../../contract/fetcher.ts'
import { prospero } from './about.ts'
import { randomIdentity } from './exchange.ts'
import { retrieveAs } from './retrieve.ts'

/**
 * Makes a fetcher for Prospero (RFC 4157, protocol version 5 over ARDP and UDP): directories as listings, and plain
 * files. Of other objects it gives the access methods, which `prospero.followAccess` follows.
 */
export function prosperoFetcher(): Fetcher<'prospero'> {
  return { ...prospero, retrieve: (plan, context) => retrieveAs(randomIdentity, plan, context) }
}
