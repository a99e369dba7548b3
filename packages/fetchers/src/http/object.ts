import type { Outcome, RequestOptions, RetrievalContext } from '../fetcher.ts'
import type { Answer, Ask, Deadline } from './asking.ts'
import { contentRange } from './content-range.ts'
import { outcomeOf } from './outcome.ts'
import type { ResponseHead } from './response.ts'
import { type Extent, ResumingBody, type Source } from './resuming-body.ts'
import { validatorOf } from './validator.ts'

/** An answer, and all that it takes to ask for more of the same. */
interface Asked {
  readonly ask: Ask
  readonly answer: Answer
  /** Of the answer's request. */
  readonly deadline: Deadline
}

/** Retrieves the whole, or a range. */
export async function retrieveObject(
  ask: Ask,
  context: RetrievalContext,
  range?: RequestOptions['range'],
): Promise<Outcome> {
  const deadline = context.deadline.attempt()
  const answer = await ask({ ...(range !== undefined && { range }), deadline })
  return resuming({ ask, answer, deadline }, context, range)
}

/** What an answer means, with a body that is taken up where it breaks off, if it can be. */
export async function resuming(
  asked: Asked,
  context: RetrievalContext,
  range?: RequestOptions['range'],
): Promise<Outcome> {
  const { ask, answer, deadline } = asked
  const outcome = withCache(await outcomeOf(answer, context, range), answer)
  if (outcome.outcome !== 'retrieved' || context.request.head === true || answer.isWhole === true) return outcome
  const extent = extentOf(answer.head, outcome.size)
  const source = sourceOf(ask, answer.head, extent?.total ?? null)
  if (source === null || extent === null) return outcome
  const { body, lent } = outcome
  // Made when it is read: of the two, one is.
  const bodyOf = (source: Source, octets: AsyncIterable<Uint8Array>): AsyncIterable<Uint8Array> => ({
    [Symbol.asyncIterator]: () => new ResumingBody(context, source, extent, { octets, deadline }),
  })
  if (lent === undefined) return Object.assign(outcome, { body: bodyOf(source, body) })
  const lending = { ...source, octets: ({ body }: Answer) => body.lent ?? body }
  return Object.assign(outcome, { body: bodyOf(source, body), lent: bodyOf(lending, lent) })
}

function withCache(outcome: Outcome, { cache }: Answer): Outcome {
  if (outcome.outcome !== 'retrieved' || cache === undefined) return outcome
  return { ...outcome, metadata: { ...outcome.metadata, cache } }
}

/**
 * Null where nothing proves that what comes another time is of the same representation, or the server has no ranges.
 */
export function sourceOf(ask: Ask, head: ResponseHead, total: number | null): Source | null {
  const validator = validatorOf(head)
  if (validator === null || head.field('accept-ranges')?.toLowerCase() === 'none') return null
  return { ask, validator, total, coding: head.field('content-encoding'), octets: ({ body }) => body }
}

/** Null where no length is known: then nothing tells an end from a break. */
function extentOf(head: ResponseHead, size: number | null): (Extent & { readonly total: number | null }) | null {
  const part = head.status === 206 ? contentRange(head) : null
  if (part !== null) return { at: part.first, end: part.last + 1, total: part.total }
  return head.status === 200 && size !== null ? { at: 0, end: size, total: size } : null
}
