import type { Stats } from 'node:fs'
import { lstat, stat } from 'node:fs/promises'
import type { Sink } from '../plugin/byte-source.ts'
import { checkOptions, flag, type OptionKind } from '../plugin/options.ts'
import { append } from './append.ts'
import { writeFailed } from './local-file.ts'
import { exists, PartFile } from './part-file.ts'
import type { SavedFacts } from './saved-facts.ts'
import { findSpecial, writeSpecial } from './special-file.ts'

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
   * True: on failure the received octets stay in `path.part`, and findPart() tells where to resume; a body that begins
   * at an `offset` is appended to a part of that length. Default false: the part is removed.
   */
  readonly resumable?: boolean
  /** False: fail with `resume-failed` if the file to be replaced is longer than the body. Default true. */
  readonly shrink?: boolean
  /**
   * True: write to a FIFO, a device or an open descriptor (`/dev/stdout`) that has the name. Default false: fail
   * instead.
   */
  readonly special?: boolean
}

const optionKinds: Readonly<Record<keyof SaveOptions, OptionKind>> = {
  overwrite: flag,
  append: flag,
  resumable: flag,
  shrink: flag,
  special: flag,
}

/**
 * Writes the octets to `path.part` and renames it to `path` once it is complete, so an incomplete file never has the
 * name. Throws RetrievalError `write-failed`; an error of reading the octets is rethrown. In both cases no file remains
 * of this attempt, except with `append` or `resumable`.
 */
export async function save(
  octets: AsyncIterable<Uint8Array>,
  path: string,
  facts: SavedFacts,
  options: SaveOptions = {},
  sink: Sink = { startOver: null },
): Promise<void> {
  checkOptions(options, optionKinds)
  if (options.append) return append(octets, path, facts)
  const { overwrite = true, resumable = false } = options
  if (!overwrite && (await isTaken(path))) throw writeFailed(path, exists)
  const special = await findSpecial(path)
  if (special !== null) {
    if (options.special) return writeSpecial(octets, special, facts.finished)
    throw writeFailed(path, 'it is not a regular file; name another file, or set the option `special`')
  }
  const replaced = await replacedBy(path)
  const least = options.shrink === false ? (replaced?.size ?? 0) : 0
  const part = await PartFile.open(path, facts, { mode: replaced && replaced.mode & 0o777, resumable, least })
  sink.startOver = () => part.startOver()
  try {
    await part.write(octets)
    await part.publish(facts.modified, overwrite)
  } catch (error) {
    await part.giveUp(error)
    throw error
  }
}

/** Whether the name exists, even as a link that leads nowhere. */
async function isTaken(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  )
}

/**
 * The file to be replaced, whose permissions the new one gets, so that a private file stays private. Null if there is
 * none.
 */
async function replacedBy(path: string): Promise<Stats | null> {
  const stats = await stat(path).catch(() => null)
  if (stats?.isDirectory()) throw writeFailed(path, 'it is a directory; name a file in it')
  return stats
}
