import type { AccessPlans } from '@retriever/core'
import { draftOf } from '../draft/draft.ts'
import { wholeSource } from '../plugin/byte-source.ts'
import type { Fetcher, RetrievalContext, Retrieved } from '../plugin/fetcher.ts'

/**
 * A fetcher for mailto URLs (RFC 6068): the representation is a draft of the mail, as a message (RFC 5322). Nothing is
 * contacted, and nothing is ever sent.
 */
export function mailtoFetcher(): Fetcher<'mailto'> {
  return { mechanism: 'mailto', retrieve: async (plan, context) => retrieved(plan, context) }
}

function retrieved(plan: AccessPlans['mailto'], context: RetrievalContext): Retrieved<'mailto'> {
  if (context.request.range !== undefined) {
    throw context.error('range-refused', 'A draft has no ranges; retrieve it without one.')
  }
  const draft = Buffer.from(draftOf(plan, context))
  const header = draft.subarray(0, draft.indexOf('\r\n\r\n'))
  return {
    outcome: 'retrieved',
    kind: 'object',
    // RFC 6532 3.7: a header with UTF-8 in it.
    mediaType: header.every((octet) => octet < 0x80) ? 'message/rfc822' : 'message/global',
    charset: null,
    size: draft.length,
    modified: null,
    completeness: 'verified',
    metadata: {},
    body: wholeSource(new Uint8Array(draft)),
  }
}
