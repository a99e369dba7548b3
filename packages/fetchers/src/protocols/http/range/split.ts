import { adviceText } from '@retriever/core/internal'
import type { Outcome, RetrievalContext, Retrieved } from '../../../contract/fetcher.ts'
import { sourceOf } from '../../../kit/byte-source.ts'
import { discard } from '../connection/discard.ts'
import type { SendRequest } from '../exchange.ts'
import { rangesOf, resuming, retrieveObject } from '../object.ts'
import { outcomeOf } from '../outcome.ts'
import { contentRange } from './content-range.ts'
import { segmentSize } from './segments.ts'
import { splitBody } from './split-body.ts'

/**
 * Retrieves the whole over several connections. The first request is for one range: its answer must prove that the
 * server serves ranges, and tell the representation and its size. If it does not, the whole comes over one connection.
 */
export async function retrieveSplit(
  ask: SendRequest,
  context: RetrievalContext,
  connections: number,
): Promise<Outcome<'http'>> {
  const deadline = context.deadline.attempt()
  const range = [0, segmentSize - 1] as const
  const asking = { range, deadline }
  const answer = await ask(asking)
  if (context.request.http?.compressed === true) {
    const advice = { option: 'http.compressed' } as const
    const message = `${adviceText(advice)} has no effect: the ranges of several connections count octets as the server keeps them.`
    context.emit({ type: 'remark', url: context.url, message, advice })
  }
  const { head, body } = answer
  if (head.status !== 206 && head.status !== 416) return resuming({ ask, asking, answer, deadline }, context)
  const part = head.status === 206 ? contentRange(head) : null
  const total = part?.total ?? null
  const representation = rangesOf(ask, head, total)
  // A 416 means that the resource is empty and has no first octet (RFC 9110 14.1.1).
  if (part === null || part.first !== 0 || part.last >= segmentSize || total === null || representation === null) {
    await discard(body, context)
    return retrieveObject(ask, context)
  }
  const outcome = await outcomeOf(answer, context, range)
  if (outcome.outcome !== 'retrieved') return outcome
  const begun = { octets: sourceOf(outcome.body), deadline }
  const octets = splitBody(context, { ...representation, total }, begun, connections)
  return asWhole(outcome, total, sourceOf(octets))
}

/** Words the outcome as a 200: its header section is that of the 206 except for these fields (RFC 9110 15.3.7). */
function asWhole(outcome: Retrieved<'http'>, total: number, body: Retrieved<'http'>['body']): Retrieved<'http'> {
  const { 'content-range': _range, ...headers } = outcome.metadata.headers
  const length = String(total)
  return {
    ...outcome,
    size: total,
    completeness: 'verified',
    metadata: {
      ...outcome.metadata,
      status: 200,
      headers: { ...headers, 'content-length': length },
      fields: outcome.metadata.fields
        .filter(([name]) => !/^content-range$/i.test(name))
        .map(([name, value]) => [name, /^content-length$/i.test(name) ? length : value] as const),
    },
    body,
  }
}
