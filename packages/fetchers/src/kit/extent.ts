import type { OctetRange, ResumePoint, RetrievalContext } from '../contract/fetcher.ts'
import { firstOf, offsetError, oneRange, overlap, resumeObstacle, resumePoint, tellWhole } from './request-options.ts'

/** Where to read from and up to. An end of Infinity means the end of the file. */
export interface Extent {
  readonly start: number
  readonly end: number
}

/** Reads up to `length` octets of an open file from a position on. */
export type ReadAt = (position: number, length: number) => Promise<Uint8Array>

/** What is known of a file before it is read. */
export interface Measure {
  /** Null if the system does not know the true size. */
  readonly size: number | null
  /** Null if the system does not know the date. */
  readonly modified: Date | null
  /** The precision of `modified` in milliseconds. Default 1. */
  readonly precision?: number
}

/**
 * Decides which octets of the file to retrieve. Rejects with `range-refused` or `resume-failed`. A file that cannot be
 * resumed is retrieved whole, with a remark.
 */
export async function extentOf(readAt: ReadAt, file: Measure, context: RetrievalContext): Promise<Extent> {
  const { range } = context.request
  const point = resumePoint(context.request)
  const whole = { start: 0, end: file.size ?? Number.POSITIVE_INFINITY }
  if (range !== undefined) return rangeOf(file, oneRange(range, context), context)
  if (point === undefined) return whole
  const obstacle = file.size === null ? 'the file has no size' : resumeObstacle(point, file)
  const failure = obstacle === null ? offsetError(context, point.offset, file.size) : null
  if (failure !== null) throw failure
  const why = obstacle ?? (await otherOctets(readAt, point))
  if (why === null) return { ...whole, start: point.offset }
  tellWhole(context, why)
  return whole
}

/** Says why the caller's octets differ from the file's. Null if they do not. */
async function otherOctets(readAt: ReadAt, { offset, tail }: ResumePoint): Promise<string | null> {
  const expected = tail?.subarray(-overlap) ?? new Uint8Array(0)
  const found = expected.length === 0 ? expected : await readAt(offset - expected.length, expected.length)
  const isSame = Buffer.compare(found, expected) === 0
  return isSame ? null : 'the octets before it are not those of the file'
}

function rangeOf({ size }: Measure, range: OctetRange, context: RetrievalContext): Extent {
  if (size === null) throw context.error('range-refused', 'The file has no size; retrieve it without a range.')
  const [, last] = range
  const first = firstOf(range, size)
  if (first >= size)
    throw context.error('range-refused', `The range is outside of the file's ${size} octets; ask for less.`)
  return { start: first, end: last === null ? size : Math.min(last + 1, size) }
}
