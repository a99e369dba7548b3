import type { Fetcher } from '../../contract/fetcher.ts'
import { prospero } from './about.ts'
import { randomIdentity } from './exchange.ts'
import { retrieveAs } from './retrieve.ts'

/**
 * Retrieves by Prospero (RFC 4157, protocol version 5 over ARDP and UDP): directories as listings, plain files, and of
 * other objects the access methods, which RequestOptions.followAccess follows.
 */
export function prosperoFetcher(): Fetcher<'prospero'> {
  return { ...prospero, retrieve: (plan, context) => retrieveAs(randomIdentity, plan, context) }
}
