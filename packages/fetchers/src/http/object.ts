import type { Outcome, RequestOptions, RetrievalContext, Retrieved, Sink } from '../plugin/fetcher.ts'
import type { Answer, Deadline, RangeRequest, SendRequest } from './exchange.ts'
import { outcomeOf } from './outcome.ts'
import { contentRange } from './range/content-range.ts'
import { RestartingBody } from './range/restarting-body.ts'
import { type Extent, ResumingBody, type Source } from './range/resuming-body.ts'
import { validatorOf } from './range/validator.ts'
import type { ResponseHead } from './response.ts'

/** An answer, and all that it takes to ask for more of the same, or for the same once more. */
interface Asked {
  readonly ask: SendRequest
  readonly asking: RangeRequest
  readonly answer: Answer
  /** Of the answer's request. */
  readonly deadline: Deadline
}

/** Retrieves the whole, or a range. */
export async function retrieveObject(
  ask: SendRequest,
  context: RetrievalContext,
  range?: RequestOptions['range'],
): Promise<Outcome<'http'>> {
  const deadline = context.deadline.attempt()
  const asking = { ...(range !== undefined && { range }), deadline }
  const answer = await ask(asking)
  return resuming({ ask, asking, answer, deadline }, context, range)
}

/** What an answer means, with a body that is counted, and taken up or begun anew where it breaks off, if it can be. */
export async function resuming(
  asked: Asked,
  context: RetrievalContext,
  range?: RequestOptions['range'],
): Promise<Outcome<'http'>> {
  const { ask, answer, deadline } = asked
  const outcome = withCache(await outcomeOf(answer, context, range), answer)
  if (outcome.outcome !== 'retrieved' || context.request.head === true) return outcome
  const extent = extentOf(answer.head, outcome.size)
  // A length has been counted, unlike what Content-Range says of chunks.
  if (answer.isWhole === true && (extent === null || outcome.size !== null)) return outcome
  const source = sourceOf(ask, answer.head, extent?.total ?? null)
  if (source === null || extent === null) return restarting(asked, outcome, extent, context)
  const { body, reusable } = outcome
  // Made when it is read: of the two, one is.
  const bodyOf = (source: Source, octets: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> => ({
    [Symbol.asyncIterator]: () => new ResumingBody(context, source, extent, { octets, deadline }),
  })
  if (reusable === undefined) return Object.assign(outcome, { body: bodyOf(source, body) })
  const lending = { ...source, octets: ({ body }: Answer) => body.reusable ?? body }
  const bodies: Pick<Retrieved, 'body' | 'reusable'> = {
    body: bodyOf(source, body),
    reusable: bodyOf(lending, reusable),
  }
  return Object.assign(outcome, bodies)
}

/** Nothing proves what comes another time to be of the same representation, or no end of it is known. */
function restarting(
  { ask, asking, answer, deadline }: Asked,
  outcome: Retrieved<'http'>,
  extent: Extent | null,
  context: RetrievalContext,
): Retrieved<'http'> {
  const { body, reusable } = outcome
  const again = (deadline: Deadline): Promise<Answer> => ask({ ...asking, deadline })
  const bodyOf = (octets: AsyncIterable<Uint8Array>, isLent: boolean, sink: Sink) => ({
    [Symbol.asyncIterator]: () => {
      const ofAnswer = ({ body }: Answer): AsyncIterable<Uint8Array> => (isLent ? (body.reusable ?? body) : body)
      const length = extent === null ? null : extent.end - extent.at
      const restart = { again, head: answer.head, length, octets: ofAnswer, sink }
      return new RestartingBody(context, restart, { octets, deadline })
    },
  })
  const never: Sink = { startOver: null }
  const restartable = (sink: Sink) => bodyOf(reusable ?? body, reusable !== undefined, sink)
  return {
    ...outcome,
    body: Object.assign(bodyOf(body, false, never), { restartable }),
    ...(reusable !== undefined && { reusable: bodyOf(reusable, true, never) }),
  }
}

function withCache(outcome: Outcome<'http'>, { cache }: Answer): Outcome<'http'> {
  if (outcome.outcome !== 'retrieved' || cache === undefined) return outcome
  return { ...outcome, metadata: { ...outcome.metadata, cache } }
}

/**
 * Null where nothing proves that what comes another time is of the same representation, or the server has no ranges.
 */
export function sourceOf(ask: SendRequest, head: ResponseHead, total: number | null): Source | null {
  const validator = validatorOf(head)
  const isWholeOrPart = head.status === 200 || head.status === 206
  if (!isWholeOrPart || validator === null || head.field('accept-ranges')?.toLowerCase() === 'none') return null
  return { ask, validator, total, coding: head.field('content-encoding'), octets: ({ body }) => body }
}

/**
 * Null where no length is known: then nothing tells an end from a break. A 304 has the length of what it does not
 * send.
 */
function extentOf(head: ResponseHead, size: number | null): (Extent & { readonly total: number | null }) | null {
  const part = head.status === 206 ? contentRange(head) : null
  if (part !== null) return { at: part.first, end: part.last + 1, total: part.total }
  return size !== null && head.status !== 304 ? { at: 0, end: size, total: size } : null
}
