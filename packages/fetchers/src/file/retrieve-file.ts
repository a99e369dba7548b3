import type { RetrievalContext, Retrieved } from '../fetcher.ts'
import { chunkSize, type Extent, FileBody, readChunk } from './file-body.ts'
import { attempt, type OpenedPath } from './open-path.ts'

type OpenedFile = Extract<OpenedPath, { kind: 'file' }>

/** Suffixes that say enough to show a file or not; everything else is told by its content, or not at all. */
const mediaTypes: Readonly<Record<string, string>> = {
  txt: 'text/plain',
  html: 'text/html',
  htm: 'text/html',
  json: 'application/json',
}

/** A regular file, open. It is closed by its body, or here where there comes none. */
export async function retrieveFile(path: string, file: OpenedFile, context: RetrievalContext): Promise<Retrieved> {
  try {
    const { size, first } = await measure(file, context)
    const extent = extentOf(size, context)
    const body = new FileBody(file.handle, context, extent, first)
    const suffix = /\.([^./]+)$/.exec(path)?.[1]?.toLowerCase() ?? ''
    return {
      outcome: 'retrieved',
      kind: 'object',
      mediaType: Object.hasOwn(mediaTypes, suffix) ? (mediaTypes[suffix] ?? null) : null,
      charset: null,
      size: size === null ? null : extent.end - extent.start,
      modified: file.stats.mtime,
      completeness: size === null ? 'eof-only' : 'verified',
      metadata: {},
      body,
    }
  } catch (error) {
    await file.handle.close()
    throw error
  }
}

/**
 * The size, or null and the file's beginning where the size that the system tells is none: /proc says 0 of every file, /sys says
 * 4096. Neither has blocks; nor have empty files and such as lie within their inode, so only reading tells.
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

function extentOf(size: number | null, context: RetrievalContext): Extent {
  const { range } = context.request
  if (range === undefined) return { start: 0, end: size ?? Number.POSITIVE_INFINITY }
  if (size === null) throw context.error('range-refused', 'The file has no size; retrieve it without a range.')
  const [first, last] = range
  if (first >= size)
    throw context.error('range-refused', `The range is outside of the file's ${size} octets; ask for less.`)
  return { start: first, end: last === null ? size : Math.min(last + 1, size) }
}
