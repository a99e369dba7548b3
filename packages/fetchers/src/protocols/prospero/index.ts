import type { AccessPlans } from '@retriever/core'
import type { Fetcher, RetrievalContext, Retrieved } from '../../contract/fetcher.ts'
import { prospero } from './about.ts'
import { randomIdentity } from './exchange.ts'
import { keptEntries } from './kept.ts'
import { retrieveAs } from './retrieve.ts'

/**
 * Makes a fetcher for Prospero (RFC 4157, protocol version 5 over ARDP and UDP): directories as listings, and plain
 * files. Of other objects it gives the access methods, which `prospero.followAccess` follows.
 */
export function prosperoFetcher(): Fetcher<'prospero'> {
  return { ...prospero, retrieve: (plan, context) => retrieveAs(randomIdentity, plan, context), reread }
}

async function reread(
  answer: Retrieved<'prospero'>,
  plan: AccessPlans['prospero'],
  context: RetrievalContext,
): Promise<Retrieved<'prospero'>> {
  // A URL does not tell a directory from a file, whose type nobody knows.
  if (answer.kind !== 'listing' && answer.mediaType !== 'text/plain') return answer
  return { ...answer, kind: 'listing', entries: (body) => keptEntries(body, plan, context) }
}
