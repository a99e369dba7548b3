import { constants, type Stats } from 'node:fs'
import { type FileHandle, link, open, rename, unlink } from 'node:fs/promises'
import { RetrievalError } from '@retriever/core'
import type { ResumePoint } from '../plugin/fetcher.ts'
import { orWriteFailed, special, writeFailed, writeWhole } from './local-file.ts'
import { checkDead, PartLock, recordPath } from './part-lock.ts'
import { isOwnFile, lstatOf, type PartRecord, pointOf, provenLength, readRecord, recordOf } from './part-record.ts'
import { thisProcess } from './process-identity.ts'
import type { SavedFacts } from './saved-facts.ts'

interface OpenPart {
  readonly file: FileHandle
  readonly number: number
  /** Octets that it has already. */
  readonly length: number
}

export interface PartOptions {
  /** Of the file that is to be replaced; null: the system's default. */
  readonly mode: number | null
  /** What has come stays on failure, and what comes behind an offset goes behind what stayed so. */
  readonly resumable: boolean
  /** Octets that the whole must have: fewer do not take the name. */
  readonly least: number
}

/** What an earlier retrieval has left of a file. */
export interface KeptPart {
  /** `NAME.part`. */
  readonly path: string
  /** Octets that it has. */
  readonly length: number
  /** What was asked for, without secrets; null where nothing says. */
  readonly url: string | null
  /** Where to go on; null where nothing can prove that the rest would be of the same version. */
  readonly point: ResumePoint | null
}

/**
 * What an earlier retrieval has left of the file in `path.part`; null where it has left nothing. Rejects with
 * `write-failed` where a process that still runs writes it.
 */
export async function findPart(path: string): Promise<KeptPart | null> {
  const part = `${path}.part`
  const found = await orWriteFailed(part, () => readRecord(recordPath(part)))
  if (found !== null) await checkDead(part, found)
  const stats = await orWriteFailed(part, () => lstatOf(part))
  if (stats === null || !isOwnFile(stats)) return null
  const record = found?.record ?? null
  const length = record === null ? null : await provenLength(record, stats)
  if (record === null || length === null)
    return { path: part, length: stats.size, url: record?.url ?? null, point: null }
  return { path: part, length, url: record.url, point: length > 0 ? pointOf(record, length) : null }
}

/** `NAME.part`, which this retrieval alone writes, and which takes the name once it is whole. */
export class PartFile {
  readonly #path: string
  readonly #part: string
  readonly #file: FileHandle
  readonly #number: number
  readonly #lock: PartLock
  readonly #record: PartRecord
  readonly #options: PartOptions
  readonly #start: number
  #length: number
  #isWhole = false

  private constructor(path: string, opened: OpenPart, lock: PartLock, record: PartRecord, options: PartOptions) {
    this.#path = path
    this.#part = `${path}.part`
    this.#file = opened.file
    this.#number = opened.number
    this.#start = opened.length
    this.#length = opened.length
    this.#lock = lock
    this.#record = record
    this.#options = options
  }

  /** Throws `write-failed`. A part that a dead process left is begun anew, or gone on with. */
  static async open(path: string, facts: SavedFacts, options: PartOptions): Promise<PartFile> {
    const part = `${path}.part`
    const record = recordOf(facts, await thisProcess())
    const lock = await PartLock.take(part, record)
    try {
      const start = options.resumable ? facts.offset : 0
      if (start > 0 && lock.provenLength !== start) throw writeFailed(part, `it does not end at octet ${start}`)
      const file = start > 0 ? await openKept(part, start) : await openNew(part, options.mode)
      const { ino: number } = await file.stat()
      return new PartFile(path, { file, number, length: start }, lock, record, options)
    } catch (error) {
      await lock.release()
      throw error
    }
  }

  async write(octets: AsyncIterable<Uint8Array>): Promise<void> {
    for await (const chunk of octets) {
      await orWriteFailed(this.#part, () => writeWhole(this.#file, chunk))
      this.#length += chunk.length
    }
    this.#isWhole = true
  }

  /** Throws away what this retrieval has written: its octets come from the first one on. */
  async startOver(): Promise<void> {
    await orWriteFailed(this.#part, () => this.#file.truncate(this.#start))
    this.#length = this.#start
  }

  async publish(modified: Date | null, overwrite: boolean): Promise<void> {
    const { mode, least } = this.#options
    if (this.#length < least) throw tooShort(this.#path, least, this.#length)
    if (mode !== null) await orWriteFailed(this.#part, () => this.#file.chmod(mode))
    if (modified !== null) await orWriteFailed(this.#part, () => this.#file.utimes(new Date(), modified))
    await this.#check()
    await orWriteFailed(this.#part, () => this.#file.close())
    await orWriteFailed(this.#path, () => moveTo(this.#part, this.#path, overwrite), { EEXIST: exists })
    await this.#lock.release()
  }

  /** After a failure: keeps what can be gone on from, and removes the rest. Never throws. */
  async giveUp(error: unknown): Promise<void> {
    try {
      await this.#check()
      const length = isSpoilt(error) ? this.#start : this.#length
      if (this.#options.resumable && !this.#isWhole && length > 0) await this.#keep(length)
      else await this.#remove()
    } catch {
      // The error that ended the retrieval says more.
    } finally {
      await this.#file.close().catch(() => {})
    }
  }

  async #keep(length: number): Promise<void> {
    // A write that met the end of the disk may have left a piece of its chunk.
    if ((await this.#file.stat()).size > length) await this.#file.truncate(length)
    await this.#file.datasync()
    await this.#lock.leave({ ...this.#record, length, writer: null })
  }

  async #remove(): Promise<void> {
    await unlink(this.#part)
    await this.#lock.release()
  }

  /** Both the part and its record are still those that this retrieval has made. */
  async #check(): Promise<void> {
    await this.#lock.check()
    const named = await orWriteFailed(this.#part, () => lstatOf(this.#part))
    if (named?.ino !== this.#number) throw writeFailed(this.#part, 'another retrieval has taken it over')
  }
}

export const exists = 'it exists already; remove it, or choose another name'

function tooShort(path: string, least: number, length: number): RetrievalError {
  const message = `${path} stays as it is: it has ${least} octets, and only ${length} have come.`
  return new RetrievalError('resume-failed', message, { phase: 'save' })
}

/** Octets that came for such a reason need not be those of the resource. */
function isSpoilt(error: unknown): boolean {
  return RetrievalError.is(error) && spoiling.has(error.code)
}

const spoiling: ReadonlySet<string> = new Set(['range-refused', 'protocol-violation', 'limit-exceeded'])

/** Never through a planted link (security.md case 31). */
async function openNew(part: string, mode: number | null): Promise<FileHandle> {
  const stats = await orWriteFailed(part, () => lstatOf(part))
  if (stats !== null) await removeDead(part, stats)
  const { O_WRONLY, O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW } = constants
  // Where it is truncated, writing goes on at its end.
  const flags = O_WRONLY | O_APPEND | O_CREAT | O_EXCL | O_NOFOLLOW
  // Until it is whole, it is nobody's to read who may not read what it replaces.
  return orWriteFailed(part, () => open(part, flags, mode === null ? 0o666 : mode | 0o600), {
    EEXIST: 'another retrieval is writing it',
  })
}

async function removeDead(part: string, stats: Stats): Promise<void> {
  if (stats.isFile()) return orWriteFailed(part, () => unlink(part))
  throw writeFailed(part, `it is ${special(stats)}; remove it, or choose another name`)
}

async function openKept(part: string, length: number): Promise<FileHandle> {
  const flags = constants.O_WRONLY | constants.O_APPEND | constants.O_NOFOLLOW | (constants.O_NONBLOCK ?? 0)
  const file = await orWriteFailed(part, () => open(part, flags))
  try {
    const stats = await file.stat()
    if (!isOwnFile(stats)) throw writeFailed(part, 'it is not a regular file of your own with one name')
    if (stats.size > length) await orWriteFailed(part, () => file.truncate(length))
    return file
  } catch (error) {
    await file.close()
    throw error
  }
}

/** link() fails where the name is taken; rename() replaces it, be it a link, in one step. */
async function moveTo(part: string, path: string, overwrite: boolean): Promise<void> {
  if (overwrite) return rename(part, path)
  await link(part, path)
  await unlink(part)
}
