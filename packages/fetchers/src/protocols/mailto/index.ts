import type { Fetcher } from '../../contract/fetcher.ts'
import { draftResult } from '../../draft/result.ts'
import { mailto } from './about.ts'

/**
 * Makes a fetcher for mailto URLs (RFC 6068). It gives a draft of the mail as a message (RFC 5322). It contacts nothing
 * and never sends anything.
 */
export function mailtoFetcher(): Fetcher<'mailto'> {
  return { ...mailto, retrieve: async (plan, context) => draftResult(plan, context) }
}
