import type { RetrievalContext, Retrieved } from '../contract/fetcher.ts'
import { wholeResult } from '../kit/whole-result.ts'
import { type Draft, draftOf } from './draft.ts'

/** Gives the draft as a representation. Rejects ranges, and throws as draftOf() does. */
export function draftResult(draft: Draft, context: RetrievalContext): Retrieved<'mailto'> {
  if (context.request.range !== undefined) {
    throw context.error('range-refused', 'Drafts cannot be retrieved in part.')
  }
  const octets = Buffer.from(draftOf(draft, context))
  const header = octets.subarray(0, octets.indexOf('\r\n\r\n'))
  return wholeResult(new Uint8Array(octets), {
    kind: 'object',
    // A header with UTF-8 needs this type (RFC 6532 3.7).
    mediaType: header.every((octet) => octet < 0x80) ? 'message/rfc822' : 'message/global',
    metadata: {},
  })
}
