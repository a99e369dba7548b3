import type { AccessPlans } from '@retriever/core'
import type { Fetcher, RetrievalContext, Retrieved } from '../../contract/fetcher.ts'
import { draftResult } from '../../draft/result.ts'
import { mailserver } from './about.ts'

/**
 * A fetcher for mailserver URLs, which RFC 6196 calls historic: the representation is a draft of the mail that would
 * ask the mail server (RFC 5322), as of a mailto URL. Nothing is contacted, and nothing is ever sent.
 */
export function mailserverFetcher(): Fetcher<'mailserver'> {
  return { ...mailserver, retrieve: async (plan, context) => retrieved(plan, context) }
}

function retrieved(plan: AccessPlans['mailserver'], context: RetrievalContext): Retrieved<'mailserver'> {
  if (plan.to.length === 0) {
    const message = 'The URL names no address to write to; it has the form mailserver:user@host/subject/text.'
    throw context.error('malformed-url', message, { phase: 'resolve' })
  }
  return { ...draftResult(plan, context), metadata: {} }
}
