import { httpRange } from '@retriever/core/internal'
import type { Outcome, RetrievalContext } from '../../../contract/fetcher.ts'
import { sourceOf } from '../../../kit/byte-source.ts'
import { isSeveral } from '../../../kit/request-options.ts'
import { discard } from '../connection/discard.ts'

/** Adds the field Range for several ranges. With one range the context stays as it is. */
export function withRanges(context: RetrievalContext): RetrievalContext {
  const { range, ...request } = context.request
  if (range === undefined || !isSeveral(range)) return context
  const [only] = range
  if (only !== undefined && range.length === 1) return { ...context, request: { ...request, range: only } }
  const others = Object.entries(request.headers ?? {}).filter(([name]) => !/^range$/i.test(name))
  const headers = { ...Object.fromEntries(others), Range: httpRange(range) }
  return { ...context, request: { ...request, headers } }
}

/** Rejects with `range-refused` if several ranges were asked for and the whole came. */
export async function checkRanges(outcome: Outcome<'http'>, context: RetrievalContext): Promise<void> {
  const { range, head } = context.request
  const isWhole = outcome.outcome === 'retrieved' && outcome.metadata.status === 200
  if (range === undefined || !isSeveral(range) || range.length === 1 || head === true || !isWhole) return
  await discard(sourceOf(outcome.body), context)
  throw context.error('range-refused', 'The server sends only the whole; retrieve it without a range.')
}
