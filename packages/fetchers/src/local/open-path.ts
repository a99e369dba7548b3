import { constants, type Stats } from 'node:fs'
import { type FileHandle, open, stat } from 'node:fs/promises'
import { RetrievalError } from '@retriever/core'
import type { RetrievalContext } from '../contract/fetcher.ts'
import { fileError } from './file-error.ts'
import { refuseProcessFile } from './process-files.ts'

/** An open file, which the caller must close, or a directory. */
export type OpenedPath =
  | { readonly kind: 'file'; readonly handle: FileHandle; readonly stats: Stats }
  | { readonly kind: 'directory'; readonly stats: Stats }

/**
 * O_NONBLOCK, because opening a FIFO without a writer would block for ever. Windows has neither flag. libuv adds
 * O_CLOEXEC.
 */
const flags = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0)

/** Opens a path, following links. Rejects with not-found, access-denied or file-failed. */
export async function openPath(path: string, context: RetrievalContext): Promise<OpenedPath> {
  const octets = pathOctets(path)
  // Checks the path before it opens it: opening alone makes some devices act (/dev/watchdog, tapes).
  const stats = await attempt(context, () => stat(octets))
  refuseSpecial(stats, context)
  if (stats.isDirectory()) return { kind: 'directory', stats }
  const handle = await openUnlessAborted(octets, context)
  try {
    // Checks the open file again, since somebody may have replaced the path in between.
    const opened = await attempt(context, () => handle.stat())
    refuseSpecial(opened, context)
    if (!opened.isFile()) throw context.error('file-failed', 'It has become a directory; try again.')
    await attempt(context, () => refuseProcessFile(octets, handle.fd, context))
    return { kind: 'file', handle, stats: opened }
  } catch (error) {
    await handle.close()
    throw error
  }
}

/** Returns the path on disk. A plan's path holds one octet a character, and a name on disk need not be UTF-8. */
export function pathOctets(path: string): Buffer {
  return Buffer.from(path, 'latin1')
}

/**
 * Runs one operation of the file system under the deadline, since a dead NFS server can block it for ever. Turns system
 * errors into RetrievalErrors.
 */
export async function attempt<T>(context: RetrievalContext, operation: () => Promise<T>): Promise<T> {
  const { deadline } = context
  try {
    return await deadline.within('request', operation)
  } catch (cause) {
    throw RetrievalError.is(cause) ? cause : fileError(context, cause)
  }
}

async function openUnlessAborted(octets: Buffer, context: RetrievalContext): Promise<FileHandle> {
  const opening = open(octets, flags)
  try {
    return await attempt(context, () => opening)
  } catch (error) {
    // The deadline may end while the system still opens the file. It is then closed later.
    opening.then((late) => late.close()).catch(() => {})
    throw error
  }
}

function refuseSpecial(stats: Stats, context: RetrievalContext): void {
  if (stats.isFile() || stats.isDirectory()) return
  const what = stats.isFIFO()
    ? 'a FIFO'
    : stats.isSocket()
      ? 'a socket'
      : stats.isCharacterDevice() || stats.isBlockDevice()
        ? 'a device'
        : 'something else'
  throw context.error('file-failed', `The path is ${what}; only files and directories are retrieved.`)
}
