import { Body } from '../../body/body.ts'
import { Representation } from '../../body/representation.ts'
import { forgotten, tooLarge, withoutBody } from '../../body/unread.ts'
import type { Handoff, Retrieved } from '../../contract/fetcher.ts'
import { knownCharset } from '../../kit/text/text.ts'
import { checkHandoff } from '../handoff/handoff.ts'
import type { Hop, Step } from './hop.ts'

/** Gives the caller what has come: a representation whose body can be read, or a program. */
export const body: Step<Representation | Handoff> = async (hop, next) => {
  const { retrieval, resolution: requested } = hop
  const outcome = await next(hop)
  if (outcome.outcome === 'retrieved') {
    retrieval.stopwatch.responded()
    const { head, charset } = hop.context.request
    const named = charset === undefined ? outcome : { ...outcome, charset: knownCharset(charset) }
    const retrieved = head === true ? await withoutBody(named) : named
    if (head !== true && (named.size ?? 0) > hop.context.limits.maxSize) throw await tooLarge(named, hop.context)
    return represent(hop, requested, retrieved)
  }
  if (outcome.outcome === 'handoff') {
    const handoff = checkHandoff(outcome, hop.context)
    retrieval.done(null, 0, hop.context)
    return handoff
  }
  const { mechanism } = hop.routed
  throw new TypeError(`expected retrieved, redirect or handoff as the outcome of the fetcher "${mechanism}"`)
}

function represent(
  { retrieval, resolution, context, routed }: Hop,
  requested: Hop['resolution'],
  retrieved: Retrieved,
): Representation {
  const { head, range, resumeFrom } = context.request
  const body = new Body(retrieved, context, (error, received) => {
    // The registry would keep the body, and through it what hears its events, which may refer to the representation.
    forgotten.unregister(retrieval)
    if (error === null) retrieval.turn?.delivered()
    else if (error.transient) retrieval.turn?.failed(error, context.limits)
    retrieval.done(error, received, context)
  })
  retrieval.body = body
  // The body is empty, so the caller need not read or cancel it, not even in a batch.
  if (head === true) body.finish()
  const representation = new Representation(retrieved, body, {
    url: context.url,
    requested,
    mechanism: routed.mechanism,
    findings: resolution.findings,
    redirects: retrieval.redirects,
    stopwatch: retrieval.stopwatch,
    maxCollected: context.limits.maxCollected,
    asked: range !== undefined ? 'range' : resumeFrom !== undefined ? 'rest' : 'whole',
  })
  if (!body.isOver) forgotten.register(representation, body, retrieval)
  // The type of the mechanism's fetcher has checked the metadata.
  return representation as Representation
}
