import type { Stats } from 'node:fs'
import { lstat, stat } from 'node:fs/promises'
import type { Sink } from '../plugin/byte-source.ts'
import { checkOptions, flag, type OptionKind } from '../plugin/options.ts'
import { append } from './append.ts'
import { writeFailed } from './local-file.ts'
import { exists, PartFile } from './part-file.ts'
import type { SavedFacts } from './saved-facts.ts'
import { findSpecial, writeSpecial } from './special-file.ts'

/** How a body becomes a file. */
export interface SaveOptions {
  /** False: fail where anything of that name exists. Default true: a file is replaced, and keeps its permissions. */
  readonly overwrite?: boolean
  /**
   * True: the file holds what comes before the representation's `offset`; append to it. It must be a regular file of
   * exactly that length, and no link; at offset 0 it may be missing. What has come stays on failure, to be continued
   * from. Default false.
   */
  readonly append?: boolean
  /**
   * True: what has come stays on failure in `path.part`, of which findPart() says where to go on, and what begins at an
   * `offset` goes behind a part of that length. Default false: a part is removed.
   */
  readonly resumable?: boolean
  /**
   * False: fail with `resume-failed` where the file that is to be replaced is longer than what has come. Default true.
   */
  readonly shrink?: boolean
  /**
   * True: write to a FIFO, a device or an open descriptor (`/dev/stdout`) that has the name. Default false: fail there.
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
 * Writes the octets to `path` by way of `path.part`, which takes the name only once it is whole: a partial file is
 * never mistaken for a whole one. Throws RetrievalError `write-failed`; what reading the octets throws passes through.
 * In both cases no file remains of this attempt, unless it was to append, or to be resumable.
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
    throw writeFailed(path, 'it is no regular file, and nothing allows others (the option `special`)')
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

/** A link that leads nowhere takes the name too. */
async function isTaken(path: string): Promise<boolean> {
  return lstat(path).then(
    () => true,
    () => false,
  )
}

/** The file that is to be replaced, whose permissions stay: a private one stays so. Null where there is none. */
async function replacedBy(path: string): Promise<Stats | null> {
  const stats = await stat(path).catch(() => null)
  if (stats?.isDirectory()) throw writeFailed(path, 'it is a directory; name a file in it')
  return stats
}
