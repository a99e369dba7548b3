import { httpRange } from '@retriever/core/internal'
import type { Outcome, RetrievalContext } from '../../../contract/fetcher.ts'
import { sourceOf } from '../../../kit/byte-source.ts'
import { isSeveral } from '../../../kit/request-options.ts'
import { discard } from '../connection/discard.ts'
import { contentRange, hasAll } from './content-range.ts'

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

/** Rejects if several ranges were asked for, and the whole came, or a single part that lacks octets of them. */
export async function checkRanges(outcome: Outcome<'http'>, context: RetrievalContext): Promise<void> {
  const { range, head } = context.request
  if (outcome.outcome !== 'retrieved' || range === undefined || !isSeveral(range)) return
  if (range.length === 1 || head === true) return
  const { status, headers } = outcome.metadata
  const isWhole = status === 200
  const part = status === 206 ? contentRange({ field: (name) => headers[name] ?? null }) : null
  if (!isWhole && (part === null || hasAll(part, range))) return
  await discard(sourceOf(outcome.body), context)
  throw isWhole
    ? context.error('range-refused', 'The server sends only the whole; retrieve it without a range.')
    : context.error('protocol-violation', 'The server sent only some of the ranges that were asked for.', { status })
}
