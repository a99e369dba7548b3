import type { RequestOptions, ResumePoint } from '../fetcher.ts'
import { notModified, resumePoint, tellWhole } from '../wishes.ts'
import type { Attributes } from './attributes.ts'
import type { Dialogue } from './dialogue.ts'

/** Which octets of a file are wanted: all from `offset`, or `wanted` of them. */
export interface Part {
  readonly offset: number
  readonly wanted: number | null
}

const whole: Part = { offset: 0, wanted: null }

/** Whether the answers to SIZE and MDTM decide what is asked for. */
export function isConditional({ range, resumeFrom, ifChangedSince }: RequestOptions): boolean {
  return range !== undefined || resumeFrom !== undefined || ifChangedSince !== undefined
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
export function wantedPart(dialogue: Dialogue, attributes: Attributes): Part {
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
    offset,
    wanted: last === null ? null : Math.min(last - offset + 1, (size ?? Number.POSITIVE_INFINITY) - offset),
  }
}

function resumedPart(dialogue: Dialogue, attributes: Attributes): Part {
  const point = resumePoint(dialogue.context.request)
  if (point === undefined) return whole
  const obstacle = obstacleTo(dialogue, attributes, point)
  if (obstacle === null) return { offset: point.offset, wanted: null }
  tellWhole(dialogue.context, obstacle)
  return whole
}

/** Why a transfer cannot be taken up where the caller has got to; null: it can. */
function obstacleTo({ plan, session }: Dialogue, { size, modified }: Attributes, point: ResumePoint): string | null {
  if (plan.typecode === 'a') return 'text is converted, so that offsets mean nothing'
  if (session.habits.unknown.has('REST')) return 'the server cannot begin in the middle'
  if (size === null) return 'the server does not tell its size'
  if (point.offset > size) return `the server has only ${size} octets`
  const pinned = point.size ?? null
  if (pinned !== null && pinned !== size) return `its size is ${size} now, and was ${pinned}`
  const then = point.modified ?? null
  // MDTM has whole seconds, mostly; what the caller kept may have fractions.
  const isSame = then === null || (modified !== null && seconds(then) === seconds(modified))
  return isSame ? null : 'it has been modified since'
}

function seconds(date: Date): number {
  return Math.floor(date.getTime() / 1000)
}
