import type { FileHandle } from 'node:fs/promises'
import type { RequestOptions, ResumePoint, RetrievalContext } from '../plugin/fetcher.ts'
import { resumePoint, tellWhole } from '../plugin/request-options.ts'
import { readChunk } from './file-body.ts'
import { attempt } from './open-path.ts'

/** Where to read from and up to; an end of Infinity is wherever the file ends. */
export interface Extent {
  readonly start: number
  readonly end: number
}

/** Up to so many of the caller's octets are compared. */
const overlap = 4096

/** What is known of a file before it is read. */
export interface Measure {
  /** Null where the system tells none that is true. */
  readonly size: number | null
  readonly modified: Date
}

/**
 * The octets of the file that are wanted. Rejects with `range-refused` or `resume-failed`. A file that cannot be gone on
 * with comes whole, with a remark.
 */
export async function extentOf(handle: FileHandle, file: Measure, context: RetrievalContext): Promise<Extent> {
  const { range } = context.request
  const point = resumePoint(context.request)
  const whole = { start: 0, end: file.size ?? Number.POSITIVE_INFINITY }
  if (range !== undefined) return rangeOf(file, range, context)
  if (point === undefined) return whole
  const obstacle = obstacleTo(point, file)
  const start = obstacle === null ? startOf(point, file, context) : 0
  const why = obstacle ?? (await otherOctets(handle, point, context))
  if (why === null) return { ...whole, start }
  tellWhole(context, why)
  return whole
}

/** Says so where the file has other octets before the offset than the caller has; null: it has the same. */
async function otherOctets(
  handle: FileHandle,
  { offset, tail }: ResumePoint,
  context: RetrievalContext,
): Promise<string | null> {
  const expected = tail?.subarray(-overlap) ?? new Uint8Array(0)
  const found = await attempt(context, () => readChunk(handle, offset - expected.length, expected.length))
  const isSame = Buffer.compare(found, expected) === 0
  return isSame ? null : 'the octets before it are not those of the file'
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
