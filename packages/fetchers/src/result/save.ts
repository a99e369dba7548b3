import type { Stats } from 'node:fs'
import { lstat, mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { Sink } from '../plugin/byte-source.ts'
import { checkOptions, flag, type OptionKind } from '../plugin/options.ts'
import { append } from './append.ts'
import { orWriteFailed, writeFailed } from './local-file.ts'
import { exists, PartFile } from './part-file.ts'
import type { SavedFacts } from './saved-facts.ts'
import { findSpecial, type SpecialFile, writeSpecial } from './special-file.ts'

/** Options for saving a body to a file. */
export interface SaveOptions {
  /** False: fail if the name exists. Default true: an existing file is replaced, and keeps its permissions. */
  readonly overwrite?: boolean
  /**
   * True: append to the file, which holds the octets before the representation's `offset`. It must be a regular file of
   * exactly that length, and no link; at offset 0 it may be missing. On failure the received octets stay, so that a
   * later retrieval can resume. Default false.
   */
  readonly append?: boolean
  /**
   * False: remove the part on failure. Default true: the received octets stay in `path.part`, and a body that
   * `resumeFrom` asked for is appended to a part that ends where it begins. A range is not kept, nor is a body that
   * broke a limit or the protocol.
   */
  readonly resumable?: boolean
  /** False: fail with `resume-failed` if the file to be replaced is longer than the body. Default true. */
  readonly shrink?: boolean
  /**
   * True: write to a FIFO, a device or an open descriptor (`/dev/stdout`) that has the name. Default false: fail
   * instead.
   */
  readonly special?: boolean
  /** True: make the folders of the path that do not exist. Default false: fail instead. */
  readonly folders?: boolean
}

export const saveOptionKinds: Readonly<Record<keyof SaveOptions, OptionKind>> = {
  overwrite: flag,
  append: flag,
  resumable: flag,
  shrink: flag,
  special: flag,
  folders: flag,
}

/**
 * Writes the octets to `path.part` and renames it to `path` once it is complete, so an incomplete file never has the
 * name. Throws RetrievalError `write-failed`; an error of reading the octets is rethrown. In both cases the part stays, as
 * `resumable` says. Gives the number of octets before them that were there and stayed.
 */
export async function save(
  octets: AsyncIterable<Uint8Array>,
  path: string,
  facts: SavedFacts,
  options: SaveOptions = {},
  sink: Sink = { startOver: null },
): Promise<number> {
  checkOptions(options, saveOptionKinds)
  if (options.folders) await orWriteFailed(path, () => mkdir(dirname(path), { recursive: true }))
  if (options.append) {
    await append(octets, path, facts)
    return facts.offset
  }
  const { overwrite = true, resumable = true } = options
  const { special, replaced } = await checkTarget(path, options)
  if (special !== null) {
    await writeSpecial(octets, special, facts.finished)
    return 0
  }
  const least = options.shrink === false ? (replaced?.size ?? 0) : 0
  const part = await PartFile.open(path, facts, { mode: replaced && replaced.mode & 0o777, resumable, least })
  sink.startOver = () => part.startOver()
  try {
    await part.write(octets)
    await part.publish(facts.modified, overwrite)
    return part.start
  } catch (error) {
    await part.giveUp(error)
    throw error
  }
}

/** What has the name now. */
interface Target {
  /** The special file to write to; null: the body becomes a regular file. */
  readonly special: SpecialFile | null
  /** The file to be replaced, whose permissions the new one gets, so that a private file stays private. */
  readonly replaced: Stats | null
}

/** Throws `write-failed` if the name is taken by something that the options do not let this body replace. */
export async function checkTarget(path: string, { overwrite = true, special = false }: SaveOptions): Promise<Target> {
  if (!overwrite && (await isTaken(path))) throw writeFailed(path, exists)
  const found = await findSpecial(path)
  if (found !== null && !special) {
    throw writeFailed(path, 'it is not a regular file; name another file, or set the option `special`')
  }
  return { special: found, replaced: found === null ? await replacedBy(path) : null }
}

/** Whether the name exists, even as a link that leads nowhere. */
async function isTaken(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  )
}

/** Null if nothing has the name. Throws `write-failed` for a directory. */
async function replacedBy(path: string): Promise<Stats | null> {
  const stats = await stat(path).catch(() => null)
  if (stats?.isDirectory()) throw writeFailed(path, 'it is a directory; name a file in it')
  return stats
}
