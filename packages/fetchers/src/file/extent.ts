import type { RequestOptions, ResumePoint, RetrievalContext } from '../fetcher.ts'
import { resumePoint, tellWhole } from '../wishes.ts'

/** Where to read from and up to; an end of Infinity is wherever the file ends. */
export interface Extent {
  readonly start: number
  readonly end: number
}

/** What is known of a file before it is read. */
export interface Measure {
  /** Null where the system tells none that is true. */
  readonly size: number | null
  readonly modified: Date
}

/** What of the file is wanted. Throws `range-refused`; what cannot be gone on with comes whole, with a remark. */
export function extentOf(file: Measure, context: RetrievalContext): Extent {
  const { range } = context.request
  const point = resumePoint(context.request)
  const whole = { start: 0, end: file.size ?? Number.POSITIVE_INFINITY }
  if (range !== undefined) return rangeOf(file, range, context)
  if (point === undefined) return whole
  const obstacle = obstacleTo(point, file)
  if (obstacle === null) return { ...whole, start: startOf(point, file, context) }
  tellWhole(context, obstacle)
  return whole
}

/** Throws `resume-failed` where the caller has more than there is: of another file, or of one that was cut. */
function startOf({ offset }: ResumePoint, { size }: Measure, context: RetrievalContext): number {
  if (size === null || offset <= size) return offset
  const message = `The file has ${size} octets, and ${offset} are there already; retrieve it from its beginning.`
  throw context.error('resume-failed', message)
}

function rangeOf({ size }: Measure, range: NonNullable<RequestOptions['range']>, context: RetrievalContext): Extent {
  if (size === null) throw context.error('range-refused', 'The file has no size; retrieve it without a range.')
  const [first, last] = range
  if (first >= size)
    throw context.error('range-refused', `The range is outside of the file's ${size} octets; ask for less.`)
  return { start: first, end: last === null ? size : Math.min(last + 1, size) }
}

/** Why a retrieval cannot go on where it ended: the octets before need not be those of this file. */
function obstacleTo({ size, modified }: ResumePoint, file: Measure): string | null {
  if (file.size === null) return 'the file has no size'
  const other = modified != null && modified.getTime() !== file.modified.getTime()
  return other || (size != null && size !== file.size) ? 'it has changed since' : null
}
