import type { Fetcher } from '../../contract/fetcher.ts'
import { draftResult } from '../../draft/result.ts'
import { mailto } from './about.ts'

/**
 * A fetcher for mailto URLs (RFC 6068): the representation is a draft of the mail, as a message (RFC 5322). Nothing is
 * contacted, and nothing is ever sent.
 */
export function mailtoFetcher(): Fetcher<'mailto'> {
  return { ...mailto, retrieve: async (plan, context) => draftResult(plan, context) }
}
