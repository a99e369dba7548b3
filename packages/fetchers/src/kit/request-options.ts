import type { RetrievalError } from '@retriever/core'
import { askedElsewhere } from '@retriever/core/internal'
import type {
  ErrorExtras,
  GivenFields,
  OctetRange,
  RequestOptions,
  ResumePoint,
  RetrievalContext,
} from '../contract/fetcher.ts'
import { fieldsOf } from './options.ts'

/** Options of which some are meant for one origin alone. */
interface ForOrigin extends Pick<RequestOptions, 'http'> {
  readonly headers?: GivenFields | undefined
}

/**
 * The options without those that only the origin which the caller named may get: the login, fields that may hold a
 * secret, and the virtual host (threats.md case 15).
 */
export function forOtherOrigin<T extends ForOrigin>(request: T): T {
  const headers = fieldsOf(request.headers)
  const { virtualHost: _host, ...http } = request.http ?? {}
  return { ...askedElsewhere({ ...request, ...(headers && { headers }) }), ...(request.http && { http }) } as T
}

/** Makes the error for ifChangedSince if the resource is no newer, with the server's reply if there was one. */
export function notModified({ error }: RetrievalContext, since: Date, extras: ErrorExtras = {}): RetrievalError {
  const said = extras.reply === undefined ? '' : ` (${extras.reply})`
  return error('not-modified', `It has not been modified since ${since.toISOString()}.${said}`, extras)
}

/** Throws `not-modified` if a resource of this date does not fit ifChangedSince or ifUnchangedSince. */
export function checkDate(context: RetrievalContext, modified: Date, extras: ErrorExtras = {}): void {
  const { ifChangedSince, ifUnchangedSince } = context.request
  if (ifChangedSince !== undefined && modified <= ifChangedSince) throw notModified(context, ifChangedSince, extras)
  if (ifUnchangedSince !== undefined && modified > ifUnchangedSince) {
    throw isModified(context, ifUnchangedSince, extras)
  }
}

/** Makes the error for ifUnchangedSince if the resource is newer, with the server's reply if there was one. */
export function isModified({ error }: RetrievalContext, since: Date, extras: ErrorExtras = {}): RetrievalError {
  const said = extras.reply === undefined ? '' : ` (${extras.reply})`
  return error('not-modified', `It has been modified since ${since.toISOString()}.${said}`, extras)
}

/** Makes the error for ifNoneMatch if the resource still has one of the entity tags. */
export function sameTag({ error }: RetrievalContext, extras: ErrorExtras): RetrievalError {
  return error('not-modified', `It has not been modified: its entity tag is the same. (${extras.reply})`, extras)
}

/** Whether several ranges are wanted. */
export function isSeveral(range: NonNullable<RequestOptions['range']>): range is readonly OctetRange[] {
  return Array.isArray(range[0])
}

/** Returns the one range that a mechanism can send. Throws `range-refused` for several. */
export function oneRange(range: NonNullable<RequestOptions['range']>, { error }: RetrievalContext): OctetRange {
  if (!isSeveral(range)) return range
  const [only] = range
  if (only !== undefined && range.length === 1) return only
  throw error('range-refused', 'Only HTTP has several ranges in one request; ask for one at a time.')
}

/** Returns the first octet of a range in a resource of `size` octets. */
export function firstOf([first]: OctetRange, size: number): number {
  return first < 0 ? Math.max(0, size + first) : first
}

/** Returns the position to resume from. Undefined if the caller wants the resource from its beginning. */
export function resumePoint({ resumeFrom }: RequestOptions): ResumePoint | undefined {
  return typeof resumeFrom === 'number' ? { offset: resumeFrom } : resumeFrom
}

/** Whether `headers` contains one of these fields (in lower case). If so, the caller handles what the answer means. */
export function givesField(request: RequestOptions, ...names: readonly string[]): boolean {
  return request.headers !== undefined && names.some((name) => ownField(request, name) !== undefined)
}

/**
 * Returns the value of a field (in lower case) in the caller's `headers`, however its name is spelt there. Null if the
 * field is not to be sent.
 */
export function ownField({ headers = {} }: RequestOptions, name: string): string | null | undefined {
  return Object.entries(headers).find(([given]) => given.toLowerCase() === name)?.[1]
}

/**
 * How many octets before an offset are at most retrieved again and compared, to prove that the resource is the same.
 */
export const overlap = 4096

/** What is known of a resource before its retrieval is resumed. */
export interface FoundResource {
  readonly size: number | null
  readonly modified: Date | null
  /** The precision of its times in milliseconds. Times are compared as multiples of it. Default 1. */
  readonly precision?: number
}

/** Says why the resource differs from the one whose beginning the caller has. Null if no difference is known. */
export function resumeObstacle(point: ResumePoint, found: FoundResource): string | null {
  const { precision = 1 } = found
  const size = point.size ?? null
  if (size !== null && found.size !== null && size !== found.size)
    return `its size is ${found.size} now, and was ${size}`
  const time = (date: Date): number => Math.floor(date.getTime() / precision)
  const then = point.modified ?? null
  const isSame = then === null || (found.modified !== null && time(then) === time(found.modified))
  const isLater = point.since !== undefined && found.modified !== null && time(found.modified) > time(point.since)
  return isSame && !isLater ? null : 'it has been modified since'
}

/**
 * Makes the error if the caller has more octets than the resource: they belong to another file, or the file was cut.
 * Otherwise returns null.
 */
export function offsetError(context: RetrievalContext, offset: number, size: number | null): RetrievalError | null {
  if (size === null || offset <= size) return null
  const message = `The file has ${size} octets, but ${offset} are there already; retrieve it from its beginning.`
  return context.error('resume-failed', message)
}

/** Emits a remark that says why the whole resource is retrieved: "The server cannot resume; starting over." */
export function tellWhole({ emit, url }: RetrievalContext, obstacle: string): void {
  const advice = { option: 'resumeFrom' } as const
  const message = `${obstacle.charAt(0).toUpperCase()}${obstacle.slice(1)}; starting over.`
  emit({ type: 'remark', url, message, advice })
}
