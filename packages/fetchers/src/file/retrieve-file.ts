import type { RetrievalContext, Retrieved } from '../plugin/fetcher.ts'
import { checkChanged, extentOf } from './extent.ts'
import { chunkSize, FileBody, readChunk } from './file-body.ts'
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
export async function retrieveFile(
  path: string,
  file: OpenedFile,
  context: RetrievalContext,
): Promise<Retrieved<'file'>> {
  try {
    checkChanged(file.stats, context)
    const modified = file.stats.mtime
    const { size, first } = await measure(file, context)
    const extent = await extentOf(file.handle, { size, modified }, context)
    const body = new FileBody(file.handle, context, extent, first)
    const suffix = /\.([^./]+)$/.exec(path)?.[1]?.toLowerCase() ?? ''
    return {
      outcome: 'retrieved',
      kind: 'object',
      mediaType: Object.hasOwn(mediaTypes, suffix) ? (mediaTypes[suffix] ?? null) : null,
      charset: null,
      size: size === null ? null : extent.end - extent.start,
      offset: extent.start,
      modified,
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
 * The size, or null and the file's beginning where the size that the system tells is none: /proc says 0 of every file,
 * /sys says 4096. Neither has blocks; nor have empty files and such as lie within their inode, so only reading tells.
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
