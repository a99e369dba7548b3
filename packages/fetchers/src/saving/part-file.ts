import { constants, type Stats } from 'node:fs'
import { type FileHandle, link, open, rename, unlink } from 'node:fs/promises'
import { setTimeout } from 'node:timers/promises'
import { RetrievalError } from '@retriever/core'
import type { ResumePoint } from '../contract/fetcher.ts'
import { overlap } from '../kit/request-options.ts'
import { throwUnlessDenied } from '../kit/system-reason.ts'
import {
  ChunkWriter,
  exists,
  orWriteFailed,
  partFlags,
  partMode,
  setTimes,
  special,
  takenOver,
  writeFailed,
} from './local-file.ts'
import { checkDead, momentary, PartLock, recordPath } from './part-lock.ts'
import {
  isOwnFile,
  lstatOf,
  type PartRecord,
  pointOf,
  provenLength,
  readRecord,
  recordOf,
  unproven,
} from './part-record.ts'
import { thisProcess } from './process-identity.ts'
import type { SavedFacts } from './saved-facts.ts'

interface OpenPart {
  readonly file: FileHandle
  readonly number: number
  /** How many octets it already has. */
  readonly length: number
}

export interface PartOptions {
  /** The mode of the file to replace. Null: the system's default. */
  readonly mode: number | null
  /** True: if the retrieval fails, the received octets stay, and a later retrieval appends to them. */
  readonly resumable: boolean
  /** How many octets the complete file must have at least. A shorter file does not get the name. */
  readonly least: number
}

/** The part of a file that an earlier retrieval has left. */
export interface KeptPart {
  /** `NAME.part`. */
  readonly path: string
  /** Its length in octets. */
  readonly length: number
  /** The requested URL, without secrets; null if unknown. */
  readonly url: string | null
  /** Where to resume. Null if nothing can prove that the rest belongs to the same version. */
  readonly point: ResumePoint | null
  /**
   * If `point` is null: where the octets end, for a caller who wants the rest without a proof. Null if it is unknown
   * which octets have arrived.
   */
  readonly unproven: ResumePoint | null
}

/**
 * Finds the part that an earlier retrieval left in `path.part`. Returns null if there is none. Rejects with
 * `write-failed` if a running process still writes it.
 */
export async function findPart(path: string): Promise<KeptPart | null> {
  const part = `${path}.part`
  const found = await orWriteFailed(part, () => readRecord(recordPath(part)))
  if (found !== null) await checkDead(part, found)
  const stats = await orWriteFailed(part, () => lstatOf(part))
  if (stats === null || !isOwnFile(stats)) return null
  const record = found?.record ?? null
  const length = record === null ? null : await provenLength(record, stats)
  const kept = { path: part, url: record?.url ?? null }
  if (record === null || !length) return { ...kept, length: length ?? stats.size, point: null, unproven: null }
  const point = pointOf(record, length)
  const tail = await tailOf(part, length)
  const unproven = point === null ? { offset: length, size: record.size, tail, since: stats.mtime } : null
  return { ...kept, length, point: point && { ...point, tail }, unproven }
}

/** Reads the last octets of the part. If nothing else can, as in FTP, they prove that the rest belongs to the part. */
async function tailOf(part: string, length: number): Promise<Uint8Array> {
  const tail = new Uint8Array(Math.min(length, overlap))
  return orWriteFailed(part, async () => {
    const file = await open(part, constants.O_RDONLY | constants.O_NOFOLLOW | (constants.O_NONBLOCK ?? 0))
    try {
      const { bytesRead } = await file.read(tail, 0, tail.length, length - tail.length)
      return tail.subarray(0, bytesRead)
    } finally {
      await file.close()
    }
  })
}

/** `NAME.part`, which only this retrieval writes. Once it is complete, it gets the final name. */
export class PartFile {
  readonly #path: string
  readonly #part: string
  readonly #file: FileHandle
  readonly #number: number
  readonly #lock: PartLock
  readonly #record: PartRecord
  readonly #options: PartOptions
  /** How many octets of an earlier retrieval it continues from. */
  readonly start: number
  #length: number
  #isWhole = false

  private constructor(path: string, opened: OpenPart, lock: PartLock, record: PartRecord, options: PartOptions) {
    this.#path = path
    this.#part = `${path}.part`
    this.#file = opened.file
    this.#number = opened.number
    this.start = opened.length
    this.#length = opened.length
    this.#lock = lock
    this.#record = record
    this.#options = options
  }

  /** Opens the part. If a dead process left one, it is resumed or begun anew. Throws `write-failed`. */
  static async open(path: string, facts: SavedFacts, options: PartOptions): Promise<PartFile> {
    const part = `${path}.part`
    const { offset, asked = 'whole' } = facts
    const isRest = asked === 'rest' && options.resumable
    // The octets of a range would look like the beginning of the file.
    const isBeginning = offset === 0 && asked !== 'range'
    const isResumable = options.resumable && (isBeginning || isRest)
    const writer = await thisProcess()
    const record = isBeginning || isRest ? recordOf(facts, writer) : { ...unproven, writer }
    const lock = await PartLock.take(part, record)
    try {
      const start = isRest ? offset : 0
      if (start > 0 && lock.provenLength !== start) throw writeFailed(part, `it does not end at octet ${start}`)
      const file = start > 0 ? await openKept(part, start) : await openNew(part, options.mode, lock.isFresh)
      const { ino: number } = await file.stat()
      return new PartFile(path, { file, number, length: start }, lock, record, { ...options, resumable: isResumable })
    } catch (error) {
      await lock.release()
      throw error
    }
  }

  async write(octets: AsyncIterable<Uint8Array>): Promise<void> {
    const writer = new ChunkWriter(this.#file)
    for await (const chunk of octets) {
      await orWriteFailed(this.#part, () => writer.write(chunk))
      this.#length += chunk.length
    }
    this.#isWhole = true
  }

  /** Throws away the octets that this retrieval has written, since they come again from the first one. */
  async startOver(): Promise<void> {
    await orWriteFailed(this.#part, () => this.#file.truncate(this.start))
    this.#length = this.start
  }

  /** Gives the part its name. `beforeName` is called with its length. */
  async publish(
    modified: Date | null,
    overwrite: boolean,
    beforeName?: (size: number) => Promise<void> | void,
  ): Promise<void> {
    const { mode, least } = this.#options
    if (this.#length < least) throw tooShort(this.#path, least, this.#length)
    if (mode !== null) await orWriteFailed(this.#part, () => this.#file.chmod(mode).catch(throwUnlessDenied))
    if (modified !== null) await orWriteFailed(this.#part, () => setTimes(this.#file, this.#part, modified))
    await beforeName?.(this.#length)
    await this.#check()
    await orWriteFailed(this.#part, () => this.#file.close())
    await orWriteFailed(this.#path, () => moveTo(this.#part, this.#path, overwrite), { EEXIST: exists })
    await this.#lock.release()
  }

  /** Ends a failed retrieval: keeps the part if it can be resumed, otherwise removes it. Never throws. */
  async giveUp(error: unknown): Promise<void> {
    try {
      await this.#check()
      const length = isSpoilt(error) ? this.start : this.#length
      if (this.#options.resumable && !this.#isWhole && length > 0) await this.#keep(length)
      else await this.#remove()
    } catch {
      // The error that ended the retrieval is more useful.
    } finally {
      await this.#file.close().catch(() => {})
    }
  }

  async #keep(length: number): Promise<void> {
    // A write that failed on a full disk may have left a piece of its chunk.
    if ((await this.#file.stat()).size > length) await this.#file.truncate(length)
    await this.#file.datasync().catch(throwUnlessDenied)
    await this.#lock.leave({ ...this.#record, length, writer: null })
  }

  async #remove(): Promise<void> {
    await unlink(this.#part)
    await this.#lock.release()
  }

  /** Checks that the part and its record are still those that this retrieval made. */
  async #check(): Promise<void> {
    await this.#lock.check()
    const named = await orWriteFailed(this.#part, () => lstatOf(this.#part))
    if (named?.ino !== this.#number) throw writeFailed(this.#part, takenOver)
  }
}

function tooShort(path: string, least: number, length: number): RetrievalError {
  const message = `${path} was kept: it has ${least} octets, but only ${length} were received.`
  return new RetrievalError('resume-failed', message, { phase: 'save' })
}

/** Whether octets that arrived before this error may not belong to the resource. */
function isSpoilt(error: unknown): boolean {
  return RetrievalError.is(error) && spoiling.has(error.code)
}

const spoiling: ReadonlySet<string> = new Set(['range-refused', 'protocol-violation', 'limit-exceeded'])

/** Opens a new part. `isFresh`: there was no record beside the name. */
async function openNew(part: string, mode: number | null, isFresh: boolean): Promise<FileHandle> {
  const stats = await orWriteFailed(part, () => (isFresh ? untilSaved(part) : lstatOf(part)))
  if (stats !== null) await removeDead(part, stats)
  return orWriteFailed(part, () => open(part, partFlags, partMode(mode)), { EEXIST: 'another retrieval is writing it' })
}

/** Waits while the part may be one of saveInMemory(), which has no record and gets its final name within moments. */
async function untilSaved(part: string): Promise<Stats | null> {
  for (;;) {
    const stats = await lstatOf(part)
    // A part's modification time is that of the resource, so its age is the time since its last status change.
    if (!stats?.isFile() || Math.abs(Date.now() - stats.ctimeMs) > momentary) return stats
    await setTimeout(20)
  }
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

/**
 * Gives the part its final name. link() fails if the name is taken; rename() replaces the file, even a link, in one
 * step.
 */
async function moveTo(part: string, path: string, overwrite: boolean): Promise<void> {
  if (overwrite) return rename(part, path)
  await link(part, path)
  await unlink(part)
}
