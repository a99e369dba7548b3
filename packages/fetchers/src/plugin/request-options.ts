import type { RetrievalError } from '@retriever/core'
import type { ErrorExtras, RequestOptions, ResumePoint, RetrievalContext } from './fetcher.ts'

/**
 * The error for ifChangedSince where the resource is no newer; with the server's reply, where it was that which said
 * so.
 */
export function notModified({ error }: RetrievalContext, since: Date, extras: ErrorExtras = {}): RetrievalError {
  const said = extras.reply === undefined ? '' : ` (${extras.reply})`
  return error('not-modified', `It has not been modified since ${since.toISOString()}.${said}`, extras)
}

/** The error for ifNoneMatch where the resource still has the entity tag, or one of them. */
export function sameTag({ error }: RetrievalContext, extras: ErrorExtras): RetrievalError {
  return error('not-modified', `It has not been modified: its entity tag is the same. (${extras.reply})`, extras)
}

/** Where to go on; undefined: from the beginning, by right. */
export function resumePoint({ resumeFrom }: RequestOptions): ResumePoint | undefined {
  return typeof resumeFrom === 'number' ? { offset: resumeFrom } : resumeFrom
}

/**
 * Whether the caller gives one of these fields (in lower case), and not the option for it: what comes of that is theirs
 * to understand.
 */
export function givesField(request: RequestOptions, ...names: readonly string[]): boolean {
  return request.headers !== undefined && names.some((name) => ownField(request, name) !== undefined)
}

/** The value of a field (in lower case) that the caller gives, however its name is spelt there. */
export function ownField({ headers = {} }: RequestOptions, name: string): string | undefined {
  return Object.entries(headers).find(([given]) => given.toLowerCase() === name)?.[1]
}

/** The most octets before an offset that come again and are compared, to see that the rest is of the same resource. */
export const overlap = 4096

/** A resource, as far as it is known before the caller's retrieval of its rest goes on. */
export interface FoundResource {
  readonly size: number | null
  readonly modified: Date | null
  /** Milliseconds: times are compared in multiples of them. Default 1. */
  readonly precision?: number
}

/** What shows that a resource is another one than that of which the caller has the beginning; null: nothing does. */
export function resumeObstacle(point: ResumePoint, found: FoundResource): string | null {
  const { precision = 1 } = found
  const size = point.size ?? null
  if (size !== null && found.size !== null && size !== found.size)
    return `its size is ${found.size} now, and was ${size}`
  const time = (date: Date): number => Math.floor(date.getTime() / precision)
  const then = point.modified ?? null
  const isSame = then === null || (found.modified !== null && time(then) === time(found.modified))
  // A file that grows is modified, too: without further octets, it was written over.
  const isLater = point.since !== undefined && found.modified !== null && time(found.modified) > time(point.since)
  return isSame && !(isLater && found.size === point.offset) ? null : 'it has been modified since'
}

/**
 * The error where the caller has more octets than there are: they are of another file, or of one that was cut.
 * Otherwise null.
 */
export function offsetError(context: RetrievalContext, offset: number, size: number | null): RetrievalError | null {
  if (size === null || offset <= size) return null
  const message = `The file has ${size} octets, and ${offset} are there already; retrieve it from its beginning.`
  return context.error('resume-failed', message)
}

/** Remarks why the whole comes, where the caller wanted the rest. */
export function tellWhole({ emit, url }: RetrievalContext, obstacle: string): void {
  emit({ type: 'remark', url, message: `It is retrieved from its beginning: ${obstacle}.` })
}
