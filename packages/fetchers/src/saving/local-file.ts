import { constants, type Stats, writeSync } from 'node:fs'
import { type FileHandle, lutimes } from 'node:fs/promises'
import { type Advice, RetrievalError } from '@retriever/core'
import { adviceText } from '@retriever/core/internal'
import { whenFilesAllow } from '../kit/files/open-files.ts'
import { invalidOption } from '../kit/limits.ts'
import { systemReason, throwUnlessDenied } from '../kit/system-reason.ts'

/** Throws RetrievalError `invalid-option` if `path` is no path. "" would be the current folder. */
export function checkPathText(name: string, path: unknown): void {
  if (typeof path === 'string' && path !== '' && !path.includes('\0')) return
  throw invalidOption(name, 'a path: a string of one character or more, without NUL', path)
}

/** A write into the system's memory takes fewer milliseconds than this, even on a busy machine. */
const prompt = 20

/**
 * Writes chunks to a regular file. Most systems take a chunk into their memory at once, and waking one of Node's
 * threads takes longer than that. So writes are synchronous, until one takes long: the disk is behind, and threads wait
 * for it from then on.
 */
export class ChunkWriter {
  readonly #file: FileHandle
  #isPrompt = true

  constructor(file: FileHandle) {
    this.#file = file
  }

  /** Writes a whole chunk, since the system may write less than it is given. */
  async write(chunk: Uint8Array): Promise<void> {
    for (let at = 0; at < chunk.length; ) {
      at += this.#isPrompt ? this.#writeAtOnce(chunk, at) : (await this.#file.write(chunk, at)).bytesWritten
    }
  }

  #writeAtOnce(chunk: Uint8Array, at: number): number {
    const begin = performance.now()
    const written = writeSync(this.#file.fd, chunk, at)
    this.#isPrompt = performance.now() - begin < prompt
    return written
  }
}

/** Sets the times of an open file at `path`; if that is refused, of the path, but not of what a link there names. */
export async function setTimes(file: FileHandle, path: string, modified: Date): Promise<void> {
  await file.utimes(new Date(), modified).catch((error: unknown) => {
    throwUnlessDenied(error)
    return lutimes(path, new Date(), modified)
  })
}

/** Runs one operation on a file that is being written. A system error becomes `write-failed`; see asWriteFailed(). */
export async function orWriteFailed<T>(path: string, operation: () => Promise<T>, own: Reasons = {}): Promise<T> {
  try {
    return await whenFilesAllow(operation)
  } catch (cause) {
    throw asWriteFailed(path, cause, own)
  }
}

/** Reasons in words, by the system's error code. */
type Reasons = Readonly<Record<string, string>>

/** Makes the `write-failed` for an error of the system. `own` overrides the usual reasons. */
export function asWriteFailed(path: string, cause: unknown, own: Reasons = {}): RetrievalError {
  const code = (cause as NodeJS.ErrnoException).code ?? ''
  if (code === 'ENOENT' && own.ENOENT === undefined) return noFolder(path, cause)
  return writeFailed(path, own[code] ?? systemReason(cause) ?? String(cause), cause)
}

export function writeFailed(path: string, why: string, cause?: unknown, advice?: Advice): RetrievalError {
  const details = { phase: 'save', cause, ...(advice && { advice }) } as const
  return new RetrievalError('write-failed', `${path} cannot be written: ${why}.`, details)
}

const wantsFolders: Advice = { option: 'folders', value: true }

export function noFolder(path: string, cause?: unknown): RetrievalError {
  const why = `its folder does not exist; make it, for example by ${adviceText(wantsFolders)}`
  return writeFailed(path, why, cause, wantsFolders)
}

/** Describes a file that is not regular. */
export function special(stats: Stats): string {
  if (stats.isDirectory()) return 'a directory'
  if (stats.isSymbolicLink()) return 'a symbolic link'
  if (stats.isFIFO()) return 'a FIFO'
  if (stats.isSocket()) return 'a socket'
  return stats.isCharacterDevice() || stats.isBlockDevice() ? 'a device' : 'something else than a file'
}

const { O_WRONLY, O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW } = constants

/**
 * How `NAME.part` is opened. If the name is taken, even by a planted link, the system says EEXIST (threats.md case
 * 31). O_APPEND makes writing continue at the end after the file is truncated.
 */
export const partFlags: number = O_WRONLY | O_APPEND | O_CREAT | O_EXCL | O_NOFOLLOW

/**
 * Returns the mode of a new part, which replaces a file of this mode, or none. Users who may not read the replaced file
 * must not read the incomplete one either.
 */
export function partMode(replaced: number | null): number {
  return replaced === null ? 0o666 : replaced | 0o600
}

export const exists = 'it exists already; remove it, or choose another name'
export const takenOver = 'another retrieval has taken it over'
