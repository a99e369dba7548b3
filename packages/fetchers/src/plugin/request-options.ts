import type { RetrievalError } from '@retriever/core'
import type { ErrorExtras, RequestOptions, ResumePoint, RetrievalContext } from './fetcher.ts'

/** The error for ifChangedSince where the resource is no newer; with the server's reply, where it was that which said so. */
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

/** Tells why the whole comes to somebody who has wanted to go on. */
export function tellWhole({ emit, url }: RetrievalContext, obstacle: string): void {
  emit({ type: 'remark', url, message: `It is retrieved from its beginning: ${obstacle}.` })
}
