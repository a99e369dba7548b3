import { existsSync, lstatSync, type Stats } from 'node:fs'
import { stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import type { ByteSource, Sink } from '../contract/byte-source.ts'
import { chunksOf } from '../kit/byte-source.ts'
import { makeFolders } from '../kit/files/make-folders.ts'
import { whenFilesAllow } from '../kit/files/open-files.ts'
import { invalidOption } from '../kit/limits.ts'
import { checkOptions } from '../kit/options.ts'
import { append } from './append.ts'
import type { Digests } from './digests.ts'
import { asWriteFailed, exists, orWriteFailed, writeFailed } from './local-file.ts'
import { PartFile } from './part-file.ts'
import { recordPath, removeStale } from './part-lock.ts'
import { type SaveOptions, saveOptionKinds } from './save-options.ts'
import type { SavedFacts } from './saved-facts.ts'
import { maxSmall, SmallBody, saveInMemory } from './small-body.ts'
import { findSpecial, type SpecialFile, writeSpecial } from './special-file.ts'

/** What the source of a body offers to its destination. */
interface BodyHooks {
  /** Lets the source start over. */
  readonly sink: Sink
  /** The checksums of the octets that were read. Null if there are none. */
  readonly digests: Digests | null
}

/**
 * Writes the octets to `path.part` and renames it to `path` once it is complete, so an incomplete file never has the
 * name. Throws RetrievalError `write-failed` or `checksum-failed`, and rethrows an error of reading the octets. The
 * part stays if `resumable` says so, but not after a wrong checksum. Returns how many octets of an earlier retrieval
 * stayed.
 */
export async function save(
  body: ByteSource,
  path: string,
  facts: SavedFacts,
  options: SaveOptions = {},
  { sink, digests }: BodyHooks = { sink: { startOver: null }, digests: null },
): Promise<number> {
  checkOptions(options, saveOptionKinds)
  if (options.folders) await orWriteFailed(path, async () => makeFolders(dirname(path)))
  const { before } = options
  if (before !== undefined) {
    if (options.append) throw invalidOption('before', 'absent if there is `append`', before)
    const { before: _before, ...rest } = { ...options, resumable: false }
    const size = facts.size == null ? null : facts.size + before.length
    // The sink must not start over: if the body came again from its first octet, `before` would be lost.
    return save(preceded(before, body), path, { ...facts, size }, rest, { sink: { startOver: null }, digests })
  }
  const { checksum: expected } = options
  if (expected !== undefined && digests === null) throw invalidOption('checksum', 'absent for parts', expected)
  const check = (): void => digests?.check(expected, path, facts.url)
  if (options.append) {
    await digests?.begin(path, facts.offset)
    await append(chunksOf(body), path, { ...facts, modified: options.dated === false ? null : facts.modified }, check)
    return facts.offset
  }
  const target = await checkTarget(path, options)
  if (target.special !== null) {
    await writeSpecial(chunksOf(body), target.special, facts.finished)
    check()
    return 0
  }
  const { replaced } = target
  const { overwrite = true, resumable = true, shrink = true, dated = true } = options
  const { size = null, offset } = facts
  const modified = dated ? facts.modified : null
  const beforeName = noteFor(options, path, facts)
  const mode = replaced && replaced.mode & 0o777
  const least = shrink ? 0 : (replaced?.size ?? 0)
  const small = new SmallBody(body)
  if (size !== null && size <= maxSmall && size >= least && offset === 0) {
    const octets = await small.whole(size)
    if (octets !== null) check()
    const target = { path, mode, modified, overwrite, beforeName }
    if (octets !== null && (await whenFilesAllow(async () => saveInMemory(octets, target)))) {
      // A process that was killed before its part had an octet has left only the record.
      if (existsSync(recordPath(`${path}.part`))) await removeStale(`${path}.part`)
      return 0
    }
  }
  const part = await PartFile.open(path, facts, { mode, resumable, least })
  sink.startOver = () => part.startOver()
  try {
    await digests?.begin(`${path}.part`, part.start)
    await part.write(chunksOf(small))
    check()
    await part.publish(modified, overwrite, beforeName)
    return part.start
  } catch (error) {
    await part.giveUp(error)
    throw error
  }
}

/** Calls `beforeName`, given the length of the file; undefined if there is no such option. */
function noteFor(
  { beforeName }: SaveOptions,
  path: string,
  { etag = null, modified }: SavedFacts,
): ((size: number) => Promise<void> | void) | undefined {
  return beforeName && ((size) => beforeName({ path, size, etag, modified }))
}

/** Gives the octets `before`, and then those of a body. */
function preceded(before: Uint8Array, body: ByteSource): ByteSource {
  let isBegun = before.length === 0
  return {
    get reusesChunks() {
      return body.reusesChunks === true
    },
    read: async () => {
      if (isBegun) return body.read()
      isBegun = true
      return before
    },
    cancel: () => body.cancel(),
  }
}

/** What has the name now. */
interface Target {
  /** The special file to write to. Null: the body becomes a regular file. */
  readonly special: SpecialFile | null
  /** The file to be replaced. The new file gets its permissions, so that a private file stays private. */
  readonly replaced: Stats | null
}

/** Throws `write-failed` if the name is taken by something that the options do not let us replace. */
export async function checkTarget(path: string, { overwrite = true, special = false }: SaveOptions): Promise<Target> {
  const named = nameOf(path)
  if (named === undefined) return { special: null, replaced: null }
  if (!overwrite) throw writeFailed(path, exists)
  if (named.isDirectory()) throw writeFailed(path, aDirectory)
  if (named.isFile()) return { special: null, replaced: named }
  const found = await findSpecial(path)
  if (found === null) return { special: null, replaced: await replacedBy(path) }
  if (special) return { special: found, replaced: null }
  throw writeFailed(path, 'it is not a regular file; name another file, or set the option `special`')
}

/** Returns the stats of the name itself. Even a link that leads nowhere has them. */
function nameOf(path: string): Stats | undefined {
  try {
    // One synchronous call takes a tenth of the time of an asynchronous one.
    return lstatSync(path, { throwIfNoEntry: false })
  } catch (error) {
    throw asWriteFailed(path, error)
  }
}

/** Returns the file that a link leads to, if any. Throws `write-failed` for a directory. */
async function replacedBy(path: string): Promise<Stats | null> {
  const stats = await stat(path).catch(() => null)
  if (stats?.isDirectory()) throw writeFailed(path, aDirectory)
  return stats
}

const aDirectory = 'it is a directory; name a file in it'
