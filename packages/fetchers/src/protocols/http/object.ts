import type { OctetRange, Outcome, RetrievalContext } from '../../contract/fetcher.ts'
import { sourceOf } from '../../kit/byte-source.ts'
import { ResumingSource } from '../../wire/resuming-source.ts'
import type { Answer, Deadline, RangeRequest, SendRequest } from './exchange.ts'
import { outcomeOf } from './outcome.ts'
import { AnnouncedOctets } from './range/announced-octets.ts'
import { contentRange } from './range/content-range.ts'
import { RestartProof } from './range/restart-proof.ts'
import { validatorOf } from './range/validator.ts'
import { type Extent, type RangedRepresentation, ValidatorProof } from './range/validator-proof.ts'
import type { ResponseHead } from './response.ts'

/** An answer, and how to ask for its rest or send the same request again. */
interface Asked {
  readonly ask: SendRequest
  readonly asking: RangeRequest
  readonly answer: Answer
  /** The deadline of the request that was answered. */
  readonly deadline: Deadline
}

/** Retrieves the whole resource, or a range. */
export async function retrieveObject(
  ask: SendRequest,
  context: RetrievalContext,
  range?: OctetRange,
): Promise<Outcome<'http'>> {
  const deadline = context.deadline.attempt()
  const asking = { ...(range !== undefined && { range }), deadline }
  const answer = await ask(asking)
  return resuming({ ask, asking, answer, deadline }, context, range)
}

/** Makes the outcome of an answer. Counts the body, and resumes it or begins it anew after a break, if possible. */
export async function resuming(asked: Asked, context: RetrievalContext, range?: OctetRange): Promise<Outcome<'http'>> {
  const { ask, answer, deadline } = asked
  const outcome = withCache(await outcomeOf(answer, context, range), answer)
  if (outcome.outcome !== 'retrieved' || context.request.head === true) return outcome
  const extent = extentOf(answer.head, outcome.size)
  // The length of a whole body was counted already, but not what Content-Range says of one in chunks.
  if (answer.isWhole === true && (extent === null || outcome.size !== null)) return outcome
  const representation = rangesOf(ask, answer.head, extent?.total ?? null)
  const isRanged = representation !== null && extent !== null
  const proof = isRanged ? new ValidatorProof(context, representation, extent.end) : restart(asked, extent, context)
  const source = sourceOf(outcome.body)
  const octets = extent === null ? source : new AnnouncedOctets(source, extent.end - extent.at, context, false)
  const offset = isRanged ? extent.at : 0
  const body = new ResumingSource(context, proof, { offset, portion: { octets, deadline } })
  return Object.assign(outcome, { body })
}

/** Makes the proof for an answer that may differ the next time, or whose end is unknown. */
function restart({ ask, asking, answer }: Asked, extent: Extent | null, context: RetrievalContext): RestartProof {
  const again = (deadline: Deadline): Promise<Answer> => ask({ ...asking, deadline })
  return new RestartProof(context, again, answer.head, extent === null ? null : extent.end - extent.at)
}

function withCache(outcome: Outcome<'http'>, { cache }: Answer): Outcome<'http'> {
  if (outcome.outcome !== 'retrieved' || cache === undefined) return outcome
  return { ...outcome, metadata: { ...outcome.metadata, cache } }
}

/**
 * Returns the representation to ask for by ranges. Null if nothing proves that another answer has the same one, or if
 * the server has no ranges.
 */
export function rangesOf(ask: SendRequest, head: ResponseHead, total: number | null): RangedRepresentation | null {
  const validator = validatorOf(head)
  const isWholeOrPart = head.status === 200 || head.status === 206
  if (!isWholeOrPart || validator === null || head.field('accept-ranges')?.toLowerCase() === 'none') return null
  return { ask, validator, total, coding: head.field('content-encoding') }
}

/**
 * Returns the extent of the body. Null if no length is known, since its end then looks like a break. A 304 gives the
 * length of a body that it does not send.
 */
function extentOf(head: ResponseHead, size: number | null): (Extent & { readonly total: number | null }) | null {
  const part = head.status === 206 ? contentRange(head) : null
  if (part !== null) return { at: part.first, end: part.last + 1, total: part.total }
  return size !== null && head.status !== 304 ? { at: 0, end: size, total: size } : null
}
