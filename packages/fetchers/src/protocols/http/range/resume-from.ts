import type { Outcome, ResumePoint, RetrievalContext } from '../../../contract/fetcher.ts'
import { sourceOf, wholeSource } from '../../../kit/byte-source.ts'
import { resumeObstacle, tellWhole } from '../../../kit/request-options.ts'
import { httpDate } from '../../../kit/text/date.ts'
import { BehindTail } from '../../../wire/overlap.ts'
import { discard } from '../connection/discard.ts'
import type { SendRequest } from '../exchange.ts'
import { resuming, retrieveObject } from '../object.ts'
import { describe, type ResponseHead } from '../response.ts'
import { contentRange, totalOfUnsatisfied } from './content-range.ts'
import { restRequest } from './rest-request.ts'
import { isOf, type Validator } from './validator.ts'

/**
 * Retrieves the rest after the octets that the caller has. If the server cannot begin there or has another
 * representation now, the whole comes. If the first request brought a part that is not the rest, a second request asks
 * for the whole (threats.md R7 to R11).
 */
export async function retrieveRest(
  ask: SendRequest,
  point: ResumePoint,
  context: RetrievalContext,
): Promise<Outcome<'http'>> {
  const request = restRequest(point)
  if (request === null) return retrieveWhole(ask, context, 'its entity tag is a weak one')
  const { range, ifRange, validator, tail } = request
  const deadline = context.deadline.attempt()
  const asking = { range, ...(isTold(context) && ifRange !== undefined && { ifRange }), deadline }
  const answer = await ask(asking)
  const { head, body } = answer
  // A server that sends the rest with 200 tells so by Content-Range alone. As the whole, it would be a file cut short.
  if (head.status === 200 && (contentRange(head)?.first ?? 0) > 0) {
    await discard(body, context)
    return retrieveWhole(ask, context, 'the server sends a part as if it were the whole')
  }
  if (head.status === 206) {
    const obstacle = partObstacle(point, range[0], validator, head, context)
    if (obstacle !== null) {
      await discard(body, context)
      return retrieveWhole(ask, context, obstacle)
    }
    const outcome = await resuming({ ask, asking, answer, deadline }, context, range)
    return tail === undefined ? outcome : ((await restBehind(tail, outcome)) ?? retrieveWhole(ask, context, changed))
  }
  if (head.status === 416) {
    await discard(body, context)
    const total = totalOfUnsatisfied(head)
    if (isComplete(point, validator, head, total, context)) return nothingLeft(point, head)
    return retrieveWhole(ask, context, total === null ? 'the server refuses the range' : hasOnly(total, point))
  }
  const outcome = await resuming({ ask, asking, answer, deadline }, context)
  if (outcome.outcome === 'retrieved' && head.status < 300) {
    const hasChanged = validator !== null && !isOf(validator, head)
    tellWhole(context, hasChanged ? changed : 'the server cannot resume')
  }
  return outcome
}

/** Returns the rest after the tail, which must come again before it. Null if other octets come. */
async function restBehind(tail: Uint8Array, outcome: Outcome<'http'>): Promise<Outcome<'http'> | null> {
  if (outcome.outcome !== 'retrieved') return outcome
  const body = new BehindTail(sourceOf(outcome.body), tail)
  if (!(await body.matches())) return null
  const { size, offset = 0 } = outcome
  return { ...outcome, body, offset: offset + tail.length, size: size === null ? null : size - tail.length }
}

const changed = 'it has changed since'

/** Whether the server may see the caller's entity tag and date of the resource. */
function isTold({ isOtherOrigin }: RetrievalContext): boolean {
  return isOtherOrigin !== true
}

async function retrieveWhole(ask: SendRequest, context: RetrievalContext, obstacle: string): Promise<Outcome<'http'>> {
  const outcome = await retrieveObject(ask, context)
  if (outcome.outcome === 'retrieved') tellWhole(context, obstacle)
  return outcome
}

/** Says why a part is not the rest of the caller's octets. */
function partObstacle(
  { offset, size = null, since }: ResumePoint,
  first: number,
  validator: Validator | null,
  head: ResponseHead,
  context: RetrievalContext,
): string | null {
  const part = contentRange(head)
  if (part === null || part.first !== first) return 'the server sends another part than the rest'
  if (!isOf(validator, head, isTold(context))) return changed
  // The validator has already been compared. HTTP's dates have whole seconds.
  const found = { size: part.total, modified: httpDate(head.field('last-modified')), precision: 1000 }
  const obstacle = resumeObstacle({ offset, size, ...(since !== undefined && { since }) }, found)
  if (obstacle !== null) return obstacle
  // The caller has all octets of its version, so that version has no rest.
  if (size === offset && first === offset) return changed
  if (part.total !== null && part.total < offset) return hasOnly(part.total, { offset })
  // A server may send less than it was asked for (RFC 9110 15.3.7). One that names no total leaves the caller's size.
  const total = part.total ?? size
  if (total !== null && part.last !== total - 1) return 'the server sends only a part of the rest'
  const isCoded = !/^(?:identity)?$/i.test(head.field('content-encoding') ?? '')
  return isCoded && context.request.http?.compressed === true ? 'it is compressed on its way' : null
}

/** Whether a 416 says that the caller has the whole (threats.md R9). */
function isComplete(
  { offset, size }: ResumePoint,
  validator: Validator | null,
  head: ResponseHead,
  total: number | null,
  context: RetrievalContext,
): boolean {
  return total === offset && (size == null || size === total) && isOf(validator, head, isTold(context))
}

function hasOnly(total: number, { offset }: ResumePoint): string {
  return total < offset ? `the resource has only ${total} octets` : changed
}

/** Makes the outcome if the caller already has all octets. */
function nothingLeft({ offset, modified, etag }: ResumePoint, head: ResponseHead): Outcome<'http'> {
  const { metadata, ...described } = describe(head)
  return {
    ...described,
    mediaType: null,
    charset: null,
    size: 0,
    offset,
    modified: described.modified ?? modified ?? null,
    etag: described.etag ?? etag ?? null,
    completeness: 'verified',
    metadata,
    body: wholeSource(),
  }
}
