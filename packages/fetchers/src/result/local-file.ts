import type { Stats } from 'node:fs'
import type { FileHandle } from 'node:fs/promises'
import { RetrievalError } from '@retriever/core'
import { systemReason } from '../plugin/system-reason.ts'

/** Writes all of a chunk: the system may write less than it is given. */
export async function writeWhole(file: FileHandle, chunk: Uint8Array): Promise<void> {
  let at = 0
  while (at < chunk.length) at += (await file.write(chunk, at)).bytesWritten
}

/**
 * Runs one operation on a file that is written. A system error becomes `write-failed`; `own` overrides the usual
 * reasons by error code.
 */
export async function orWriteFailed<T>(
  path: string,
  operation: () => Promise<T>,
  own: Readonly<Record<string, string>> = {},
): Promise<T> {
  try {
    return await operation()
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code ?? ''
    throw writeFailed(path, own[code] ?? systemReason(cause) ?? String(cause), cause)
  }
}

export function writeFailed(path: string, why: string, cause?: unknown): RetrievalError {
  return new RetrievalError('write-failed', `${path} cannot be written: ${why}.`, { phase: 'save', cause })
}

/** Names the kind of a file that is not regular. */
export function special(stats: Stats): string {
  if (stats.isDirectory()) return 'a directory'
  if (stats.isSymbolicLink()) return 'a symbolic link'
  if (stats.isFIFO()) return 'a FIFO'
  if (stats.isSocket()) return 'a socket'
  return stats.isCharacterDevice() || stats.isBlockDevice() ? 'a device' : 'something else than a file'
}
