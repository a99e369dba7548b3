import { adviceText } from '@retriever/core'
import type { Outcome, RequestOptions, RetrievalContext, Retrieved } from '../../plugin/fetcher.ts'
import { givesField } from '../../plugin/request-options.ts'
import { discard } from '../connection/discard.ts'
import type { SendRequest } from '../exchange.ts'
import { resuming, retrieveObject, sourceOf } from '../object.ts'
import { outcomeOf } from '../outcome.ts'
import { contentRange } from './content-range.ts'
import { segmentSize, splitBody } from './split-body.ts'

/** How many connections the caller wants for one body; 1 also where that is no matter of one body as it is. */
export function connectionsFor(request: RequestOptions): number {
  const { split = 1, range, resumeFrom, head } = request
  const isWhole = range === undefined && !givesField(request, 'range') && resumeFrom === undefined
  return isWhole && head !== true ? split : 1
}

/**
 * Retrieves the whole over several connections, once the server has proved that it serves ranges, by a first one that
 * says which representation of what size it is of. Whatever else it answers is as good: the whole comes by one
 * connection.
 */
export async function retrieveSplit(
  ask: SendRequest,
  context: RetrievalContext,
  connections: number,
): Promise<Outcome> {
  const deadline = context.deadline.attempt()
  const range = [0, segmentSize - 1] as const
  const asking = { range, deadline }
  const answer = await ask(asking)
  if (context.request.compressed === true) {
    const advice = { option: 'compressed' } as const
    const message = `${adviceText(advice)} is left out: the ranges of several connections count octets as the server keeps them.`
    context.emit({ type: 'remark', url: context.url, message, advice })
  }
  const { head, body } = answer
  if (head.status !== 206 && head.status !== 416) return resuming({ ask, asking, answer, deadline }, context)
  const part = head.status === 206 ? contentRange(head) : null
  const total = part?.total ?? null
  const source = sourceOf(ask, head, total)
  // 416: it is empty, and has no first octet (RFC 9110 14.1.1).
  if (part === null || part.first !== 0 || part.last >= segmentSize || total === null || source === null) {
    await discard(body, context)
    return retrieveObject(ask, context)
  }
  const outcome = await outcomeOf(answer, context, range)
  if (outcome.outcome !== 'retrieved') return outcome
  const begun = { octets: outcome.body, deadline }
  return asWhole(outcome, total, splitBody(context, { ...source, total }, begun, connections))
}

/** As if a 200 had come: its header section is that of the 206 but for these (RFC 9110 15.3.7). */
function asWhole(outcome: Retrieved, total: number, body: Retrieved['body']): Retrieved {
  const { 'content-range': _range, ...headers } = outcome.metadata.headers as Readonly<Record<string, string>>
  const fields = outcome.metadata.fields as readonly (readonly [name: string, value: string])[]
  const length = String(total)
  const { reusable: _lent, ...whole } = outcome
  return {
    ...whole,
    size: total,
    completeness: 'verified',
    metadata: {
      ...outcome.metadata,
      status: 200,
      headers: { ...headers, 'content-length': length },
      fields: fields
        .filter(([name]) => !/^content-range$/i.test(name))
        .map(([name, value]) => [name, /^content-length$/i.test(name) ? length : value]),
    },
    body,
  }
}
