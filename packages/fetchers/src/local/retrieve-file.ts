import type { RetrievalContext, Retrieved } from '../contract/fetcher.ts'
import { extentOf } from '../kit/extent.ts'
import { checkDate } from '../kit/request-options.ts'
import { messageEntries } from '../mime/entries.ts'
import { chunkSize, FileBody, readChunk } from './file-body.ts'
import { attempt, type OpenedPath } from './open-path.ts'

type OpenedFile = Extract<OpenedPath, { kind: 'file' }>

/** The suffixes that are needed to decide whether a file can be shown. Other files get no media type. */
const mediaTypes: Readonly<Record<string, string>> = {
  txt: 'text/plain',
  html: 'text/html',
  htm: 'text/html',
  json: 'application/json',
  eml: 'message/rfc822',
  mbox: 'application/mbox',
}

/** The types whose parts are listed as entries. */
const messages: ReadonlySet<string | null> = new Set(['message/rfc822', 'application/mbox'])

/** Retrieves an open regular file. Its body closes the file; if there is no body, this function does. */
export async function retrieveFile(
  path: string,
  file: OpenedFile,
  context: RetrievalContext,
): Promise<Retrieved<'file'>> {
  try {
    checkDate(context, file.stats.mtime)
    const modified = file.stats.mtime
    const { size, first } = await measure(file, context)
    const readAt = (position: number, length: number): Promise<Uint8Array> =>
      attempt(context, () => readChunk(file.handle, position, length))
    const extent = await extentOf(readAt, { size, modified }, context)
    const body = new FileBody(file.handle, context, extent, first)
    const suffix = /\.([^./]+)$/.exec(path)?.[1]?.toLowerCase() ?? ''
    const mediaType = Object.hasOwn(mediaTypes, suffix) ? (mediaTypes[suffix] ?? null) : null
    return {
      outcome: 'retrieved',
      kind: 'object',
      mediaType,
      charset: null,
      size: size === null ? null : extent.end - extent.start,
      offset: extent.start,
      modified,
      completeness: size === null ? 'eof-only' : 'verified',
      metadata: {},
      body,
      ...(messages.has(mediaType) && {
        entries: (octets: AsyncIterable<Uint8Array>) => messageEntries(octets, context),
      }),
    }
  } catch (error) {
    await file.handle.close()
    throw error
  }
}

/**
 * Returns the size of a file. The system's size is not true in /proc, which gives 0 for every file, and in /sys, which
 * gives 4096: for those it returns null and the beginning of the file. Such files have no blocks, but neither have
 * empty files and small ones within their inode, so only reading tells them apart.
 */
async function measure(
  { handle, stats }: OpenedFile,
  context: RetrievalContext,
): Promise<{ size: number | null; first?: Uint8Array }> {
  const { size, blocks } = stats
  if (blocks !== 0) return { size }
  const first = await attempt(context, () => readChunk(handle, 0, chunkSize))
  return first.length === Math.min(size, chunkSize) ? { size } : { size: null, first }
}
