import type { Stats } from 'node:fs'
import type { RetrievalContext } from '../plugin/fetcher.ts'
import { notModified } from '../plugin/request-options.ts'

/**
 * Throws `not-modified` where the caller asks for what is newer than this. Of a directory, entries that came and went
 * count.
 */
export function checkChanged({ mtime }: Stats, context: RetrievalContext): void {
  const { ifChangedSince } = context.request
  if (ifChangedSince === undefined || mtime > ifChangedSince) return
  throw notModified(context, ifChangedSince)
}
