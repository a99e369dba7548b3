import type { Stats } from 'node:fs'
import { constants, type FileHandle, link, open, readlink, rename, stat, unlink, utimes } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'
import { append } from './append.ts'
import { attempt, writeFailed, writeWhole } from './local-file.ts'
import { checkOptions, flag, type OptionKind } from './options.ts'

/** How a body becomes a file. */
export interface SaveOptions {
  /** False: fail where a file of that name exists. Default true. */
  readonly overwrite?: boolean
  /**
   * True: the file holds what comes before the representation's `offset`; append to it. It must be a regular file of exactly that
   * length, and no link; at offset 0 it may be missing. What has come stays on failure, to be continued from. Default false.
   */
  readonly append?: boolean
}

/** What a file is told of the octets that it gets. */
export interface SavedFacts {
  readonly modified: Date | null
  /** Of the first octet within the resource. */
  readonly offset: number
}

/** What octets are saved to, as far as they may begin anew. */
export interface Sink {
  /** Throws away what has been written. False: it cannot be. Set once there is something that can. */
  forget: () => Promise<boolean>
}

const optionKinds: Readonly<Record<keyof SaveOptions, OptionKind>> = { overwrite: flag, append: flag }

/**
 * Writes the octets to `path` by way of `path.part`, which takes the name only once it is whole: a partial file is never mistaken
 * for a whole one. Devices, FIFOs and open descriptors (`/dev/stdout`) are written to directly. Throws RetrievalError `write-failed`; what reading the octets throws
 * passes through. In both cases no file remains of this attempt, unless it was to append.
 */
export async function save(
  octets: AsyncIterable<Uint8Array>,
  path: string,
  facts: SavedFacts,
  options: SaveOptions = {},
  sink: Sink = { forget: async () => false },
): Promise<void> {
  checkOptions(options, optionKinds)
  if (options.append) return append(octets, path, facts)
  // Its name is no place for a file: renaming would replace /dev/stdout itself, and leave the file behind it empty.
  if (await isDescriptor(path)) return writeTo(await attempt(path, () => open(path, 'a')), octets, path)
  const target = await existing(path)
  if (target?.isDirectory()) throw writeFailed(path, 'it is a directory; name a file in it')
  if (target !== undefined && !target.isFile()) return writeTo(await attempt(path, () => open(path, 'w')), octets, path)
  if (target !== undefined && options.overwrite === false) throw writeFailed(path, exists)

  const part = `${path}.part`
  const { modified } = facts
  const file = await openPart(part)
  sink.forget = async () => {
    await attempt(part, () => file.truncate(0))
    return true
  }
  try {
    await writeTo(file, octets, part)
    if (modified !== null) await attempt(part, () => utimes(part, new Date(), modified))
    await attempt(path, () => publish(part, path, options.overwrite !== false), { EEXIST: exists })
  } catch (error) {
    await unlink(part).catch(() => {})
    throw error
  }
}

const exists = 'it exists already; remove it, or choose another name'
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

/** Never through a planted link, never over another retrieval's part (security.md case 31). Once it is truncated, writing begins anew. */
function openPart(part: string): Promise<FileHandle> {
  const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW
  const EEXIST = 'another retrieval is writing it, or died; remove it if none is'
  return attempt(part, () => open(part, flags, 0o666), { EEXIST })
}

async function writeTo(file: FileHandle, octets: AsyncIterable<Uint8Array>, path: string): Promise<void> {
  try {
    for await (const chunk of octets) await attempt(path, () => writeWhole(file, chunk))
  } finally {
    await attempt(path, () => file.close())
  }
}

/** link() fails where the name is taken; rename() replaces it, be it a link, in one step. */
async function publish(part: string, path: string, overwrite: boolean): Promise<void> {
  if (overwrite) return rename(part, path)
  await link(part, path)
  await unlink(part)
}
