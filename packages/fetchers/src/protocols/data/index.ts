import { MIMEType } from 'node:util'
import type { DataPlan } from '@retriever/core/internal'
import type { Fetcher, RetrievalContext, Retrieved } from '../../contract/fetcher.ts'
import { wholeResult } from '../../kit/whole-result.ts'
import { data } from './about.ts'

/** Makes a fetcher for data URLs (RFC 2397). The data is in the URL, so it contacts nothing. */
export function dataFetcher(): Fetcher<'data'> {
  return { ...data, retrieve: async (plan, context) => retrieved(plan, context) }
}

function retrieved({ mediaType, octets }: DataPlan, context: RetrievalContext): Retrieved<'data'> {
  if (context.request.range !== undefined) {
    throw context.error('range-refused', 'A data URL has no ranges; retrieve it without one.')
  }
  const type = typeOf(mediaType)
  return wholeResult(new Uint8Array(Buffer.from(octets, 'latin1')), {
    kind: 'object',
    mediaType: type.essence,
    charset: type.params.get('charset')?.toLowerCase() ?? null,
    metadata: { contentType: String(type) },
  })
}

/** Returns the media type without malformed parameters, or text/plain if it is malformed itself (Fetch Standard, 6). */
function typeOf(mediaType: string): MIMEType {
  try {
    return new MIMEType(mediaType)
  } catch {
    return new MIMEType('text/plain;charset=US-ASCII')
  }
}
