import type { RetrievalContext } from '../../plugin/fetcher.ts'
import { notModified, offsetError, overlap, resumeObstacle, resumePoint } from '../../plugin/request-options.ts'
import type { Dialogue } from '../control/dialogue.ts'
import type { Attributes } from './attributes.ts'

/** Which octets of a file are wanted: all from `offset`, or `wanted` of them. */
export interface ByteRange {
  readonly offset: number
  readonly wanted: number | null
  /** Octets before the offset that must come again: the proof that what follows goes on from there. */
  readonly tail: Uint8Array
  /** Why the whole comes although the caller has the beginning; null where there is no reason. */
  readonly obstacle: string | null
}

const whole: ByteRange = { offset: 0, wanted: null, tail: new Uint8Array(0), obstacle: null }

/** Whether the answers to SIZE and MDTM decide what is asked for, or whether anything is. */
export function isConditional({ request, limits }: RetrievalContext): boolean {
  const { range, resumeFrom, ifChangedSince } = request
  const isLimited = limits.maxSize !== Number.POSITIVE_INFINITY
  return range !== undefined || resumeFrom !== undefined || ifChangedSince !== undefined || isLimited
}

/** Throws `not-modified`; the session is free then. Where the server tells no time, the file is retrieved. */
export function checkModified(dialogue: Dialogue, { modified }: Attributes): void {
  const { context } = dialogue
  const since = context.request.ifChangedSince
  if (since === undefined || modified === null || modified > since) return
  dialogue.done()
  throw notModified(context, since)
}

/**
 * Throws `range-refused` for a range beyond the end: vsftpd and inetutils accept such a REST, and send nothing, with
 * 226.
 */
export function wantedRange(dialogue: Dialogue, attributes: Attributes): ByteRange {
  const { context } = dialogue
  const { range } = context.request
  if (range === undefined) return resumedPart(dialogue, attributes)
  const [offset, last] = range
  const { size } = attributes
  if (size !== null && offset > 0 && offset >= size) {
    dialogue.done()
    throw context.error('range-refused', `The range begins at octet ${offset}, and there are ${size}.`)
  }
  return {
    ...whole,
    offset,
    wanted: last === null ? null : Math.min(last - offset + 1, (size ?? Number.POSITIVE_INFINITY) - offset),
  }
}

/** Throws `limit-exceeded` where more would come than limits.maxSize, before any of it is asked for. */
export function checkSize(dialogue: Dialogue, { offset, wanted }: ByteRange, { size }: Attributes): void {
  const { maxSize } = dialogue.context.limits
  const rest = wanted ?? (size === null ? 0 : size - offset)
  if (size === null || rest <= maxSize) return
  dialogue.done()
  const message = `The body has ${rest} octets, and the limit set by maxSize is ${maxSize}; nothing was retrieved.`
  throw dialogue.context.error('limit-exceeded', message, { phase: 'body' })
}

function resumedPart(dialogue: Dialogue, attributes: Attributes): ByteRange {
  const { plan, session, context } = dialogue
  const point = resumePoint(context.request)
  if (point === undefined) return whole
  if (plan.typecode === 'a') return { ...whole, obstacle: 'text is converted, so that offsets mean nothing' }
  // MDTM has whole seconds, mostly; the time that the caller kept may have fractions.
  const obstacle = resumeObstacle(point, { ...attributes, precision: 1000 })
  if (obstacle !== null) return { ...whole, obstacle }
  const { offset, tail = whole.tail } = point
  const failure = offsetError(context, offset, attributes.size)
  if (failure !== null) {
    dialogue.done()
    throw failure
  }
  if (session.quirks.unknown.has('REST')) return { ...whole, obstacle: 'the server cannot begin in the middle' }
  if (attributes.size === null) return { ...whole, obstacle: 'the server does not tell its size' }
  return { ...whole, offset, tail: tail.slice(-overlap) }
}
