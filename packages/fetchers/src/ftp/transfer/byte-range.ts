import { adviceText } from '@retriever/core'
import type { ResumePoint, RetrievalContext } from '../../plugin/fetcher.ts'
import { notModified, resumePoint } from '../../plugin/request-options.ts'
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

/** Of the caller's octets, so many are compared. */
const overlap = 4096

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

/** Throws `range-refused` for a range beyond the end: vsftpd and inetutils accept such a REST, and send nothing, with 226. */
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
  const advice = { option: 'limits.maxSize' } as const
  const limit = `the limit set by ${adviceText(advice)} is ${maxSize}`
  const message = `The body has ${rest} octets, and ${limit}; nothing was retrieved.`
  throw dialogue.context.error('limit-exceeded', message, { phase: 'body', advice })
}

function resumedPart(dialogue: Dialogue, attributes: Attributes): ByteRange {
  const { plan, session, context } = dialogue
  const point = resumePoint(context.request)
  if (point === undefined) return whole
  if (plan.typecode === 'a') return { ...whole, obstacle: 'text is converted, so that offsets mean nothing' }
  const change = changeSince(point, attributes)
  if (change !== null) return { ...whole, obstacle: change }
  const { offset, tail = whole.tail } = point
  checkOffset(dialogue, attributes, offset)
  if (session.quirks.unknown.has('REST')) return { ...whole, obstacle: 'the server cannot begin in the middle' }
  if (attributes.size === null) return { ...whole, obstacle: 'the server does not tell its size' }
  return { ...whole, offset, tail: tail.slice(-overlap) }
}

/** What shows that the file is another one than before; null: nothing does. */
function changeSince(point: ResumePoint, { size, modified }: Attributes): string | null {
  const pinned = point.size ?? null
  if (pinned !== null && size !== null && pinned !== size) return `its size is ${size} now, and was ${pinned}`
  const then = point.modified ?? null
  // MDTM has whole seconds, mostly; what the caller kept may have fractions.
  const isSame = then === null || (modified !== null && seconds(then) === seconds(modified))
  return isSame && !isRewritten(point, { size, modified }) ? null : 'it has been modified since'
}

/** Throws `resume-failed` where the caller has more than there is: of another file, perhaps, or of one that was cut. */
function checkOffset(dialogue: Dialogue, { size }: Attributes, offset: number): void {
  if (size === null || offset <= size) return
  dialogue.done()
  const message = `The file has ${size} octets, and ${offset} are there already; retrieve it from its beginning.`
  throw dialogue.context.error('resume-failed', message)
}

/** A file that grows is modified, too: it is another one where it has no more octets than before. */
function isRewritten({ offset, since }: ResumePoint, { size, modified }: Attributes): boolean {
  return since !== undefined && modified !== null && size === offset && seconds(modified) > seconds(since)
}

function seconds(date: Date): number {
  return Math.floor(date.getTime() / 1000)
}
