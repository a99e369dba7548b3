import type { AccessPlans } from '@retriever/core'
import type { Fetcher, RetrievalContext, Retrieved } from '../../contract/fetcher.ts'
import { draftResult } from '../../draft/result.ts'
import { mailserver } from './about.ts'

/**
 * Makes a fetcher for mailserver URLs, which RFC 6196 calls historic. It gives a draft of the mail that would ask the
 * mail server (RFC 5322), as mailto URLs do. It contacts nothing and never sends anything.
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
