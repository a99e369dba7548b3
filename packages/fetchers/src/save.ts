import type { Stats } from 'node:fs'
import { constants, type FileHandle, link, open, readlink, rename, stat, unlink, utimes } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { RetrievalError } from '@retriever/core'

export interface SaveOptions {
  /** False: fail where a file of that name exists. Default true. */
  readonly overwrite?: boolean
}

/**
 * Writes the octets to `path` by way of `path.part`, which takes the name only once it is whole: a partial file is never mistaken
 * for a whole one. Devices, FIFOs and open descriptors (`/dev/stdout`) are written to directly. Throws RetrievalError `write-failed`; what reading the octets throws
 * passes through. In both cases no file remains of this attempt.
 */
export async function save(
  octets: AsyncIterable<Uint8Array>,
  path: string,
  modified: Date | null,
  options: SaveOptions = {},
): Promise<void> {
  // Its name is no place for a file: renaming would replace /dev/stdout itself, and leave the file behind it empty.
  if (await isDescriptor(path)) return writeTo(await attempt(path, () => open(path, 'a')), octets, path)
  const target = await existing(path)
  if (target?.isDirectory()) throw writeFailed(path, 'it is a directory; name a file in it')
  if (target !== undefined && !target.isFile()) return writeTo(await attempt(path, () => open(path, 'w')), octets, path)
  if (target !== undefined && options.overwrite === false) throw writeFailed(path, 'it exists already')

  const part = `${path}.part`
  const file = await openPart(part)
  try {
    await writeTo(file, octets, part)
    if (modified !== null) await attempt(part, () => utimes(part, new Date(), modified))
    await attempt(path, () => publish(part, path, options.overwrite !== false))
  } catch (error) {
    await unlink(part).catch(() => {})
    throw error
  }
}

const descriptor = /^\/(?:proc\/(?:self|\d+)\/fd|dev\/fd)\/\d+$/

/** Whether the name, or a link that it is, stands for something this or another process has open: /dev/stdout -> /proc/self/fd/1. */
async function isDescriptor(path: string): Promise<boolean> {
  // Links to links: the system itself gives up after 40 (path_resolution(7)).
  for (let at = resolve(path), hops = 0; hops < 40; hops++) {
    if (descriptor.test(at)) return true
    const target = await readlink(at).catch(() => null)
    if (target === null) return false
    at = resolve(dirname(at), target)
  }
  return false
}

async function existing(path: string): Promise<Stats | undefined> {
  try {
    return await stat(path)
  } catch {
    return undefined
  }
}

/** Never through a planted link, never over another retrieval's part (security.md case 31). */
function openPart(part: string): Promise<FileHandle> {
  const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW
  return attempt(part, () => open(part, flags, 0o666))
}

async function writeTo(file: FileHandle, octets: AsyncIterable<Uint8Array>, path: string): Promise<void> {
  try {
    for await (const chunk of octets) await attempt(path, () => writeWhole(file, chunk))
  } finally {
    await attempt(path, () => file.close())
  }
}

async function writeWhole(file: FileHandle, chunk: Uint8Array): Promise<void> {
  let at = 0
  while (at < chunk.length) at += (await file.write(chunk, at)).bytesWritten
}

/** link() fails where the name is taken; rename() replaces it, be it a link, in one step. */
async function publish(part: string, path: string, overwrite: boolean): Promise<void> {
  if (overwrite) return rename(part, path)
  await link(part, path)
  await unlink(part)
}

const reasons: Readonly<Record<string, string>> = {
  EACCES: 'permission denied',
  EDQUOT: 'the quota is used up',
  EISDIR: 'it is a directory; name a file in it',
  ELOOP: 'a symbolic link stands there',
  ENAMETOOLONG: 'the name is too long',
  ENOENT: 'its folder does not exist',
  ENOSPC: 'no space is left on the device',
  ENOTDIR: 'a part of its path is no folder',
  EROFS: 'the file system is read-only',
}

async function attempt<T>(path: string, operation: () => Promise<T>): Promise<T> {
  try {
    return await operation()
  } catch (cause) {
    const code = (cause as NodeJS.ErrnoException).code ?? ''
    const exists = path.endsWith('.part')
      ? 'another retrieval is writing it, or died; remove it if none is'
      : 'it exists already'
    throw writeFailed(path, code === 'EEXIST' ? exists : (reasons[code] ?? String(cause)), cause)
  }
}

function writeFailed(path: string, why: string, cause?: unknown): RetrievalError {
  return new RetrievalError('write-failed', `${path} cannot be written: ${why}.`, { phase: 'save', cause })
}
