import type { Stats } from 'node:fs'
import { rename, unlink } from 'node:fs/promises'
import { RetrievalError } from '@retriever/core'
import { orWriteFailed, takenOver, writeFailed } from './local-file.ts'
import {
  createRecord,
  type FoundRecord,
  isOwnFile,
  lstatOf,
  type PartRecord,
  provenLength,
  readRecord,
  replaceRecord,
  unproven,
} from './part-record.ts'
import { isRunning, thisProcess } from './process-identity.ts'

/**
 * We cannot check a writer on another machine, so it counts as alive for this many milliseconds after its last write.
 * Retrievals wait for less time than that.
 */
const foreignLife = 5 * 60_000
/** A writer creates and fills a file in less than this many milliseconds. */
export const momentary = 2000

/** The right to write a part. A process gets it by creating the part's record. */
export class PartLock {
  readonly #part: string
  #number: number
  /** How many octets can be resumed from. Null if none are proven. */
  readonly provenLength: number | null
  /** True if there was no record of an earlier retrieval. */
  readonly isFresh: boolean

  private constructor(part: string, number: number, provenLength: number | null, isFresh: boolean) {
    this.#part = part
    this.isFresh = isFresh
    this.#number = number
    this.provenLength = provenLength
  }

  /** Takes over the record of a dead process. Throws `write-failed` if a running process writes the part. */
  static async take(part: string, record: PartRecord): Promise<PartLock> {
    const path = recordPath(part)
    for (let tries = 0; tries < 5; tries++) {
      let proven: number | null = null
      const found = await orWriteFailed(part, () => readRecord(path))
      if (found !== null) {
        await checkDead(part, found)
        await checkOurs(part, found)
        proven = await lengthOf(part, found)
      }
      const number = await (found === null
        ? create(part, path, record)
        : orWriteFailed(part, () => takeOver(path, found, record)))
      if (number !== null) return new PartLock(part, number, proven, found === null)
    }
    throw maybeWritten(part)
  }

  /** Throws if another process took the part over because it believed that this one was dead. */
  async check(): Promise<void> {
    const stats = await orWriteFailed(this.#part, () => lstatOf(recordPath(this.#part)))
    if (stats?.ino !== this.#number) throw writeFailed(this.#part, takenOver)
  }

  /** Leaves the record for a later retrieval. */
  async leave(record: PartRecord): Promise<void> {
    const path = recordPath(this.#part)
    // A full disk may have no room for a second record, but has room again after this one is released.
    const again = (): Promise<number> => this.release().then(() => createRecord(path, record))
    this.#number = await orWriteFailed(this.#part, () => replaceRecord(path, record).catch(again))
  }

  async release(): Promise<void> {
    await unlink(recordPath(this.#part)).catch(() => {})
  }
}

/** The right to write a file that several runs share. */
export interface FileLock {
  /** The machine's boot in which this process runs; null if the system does not say. */
  readonly boot: string | null
  release(): Promise<void>
}

/**
 * Locks `path` for this process, by a record beside it (`PATH.lock.json`), as a part is locked. The lock of a dead
 * process is taken over. Rejects with `write-failed`, and the number of the process, if a running one has it.
 */
export async function lockFile(path: string): Promise<FileLock> {
  const writer = await thisProcess()
  const lock = await PartLock.take(`${path}.lock`, { ...unproven, writer })
  return { boot: writer.boot, release: () => lock.release() }
}

/** Removes the record if its process was killed after the part had become the file. Never throws. */
export async function removeStale(part: string): Promise<void> {
  try {
    const found = await readRecord(recordPath(part))
    if (found === null || found.record === null || (await lstatOf(part)) !== null) return
    await checkDead(part, found)
    await unlink(recordPath(part))
  } catch {
    // A running process has the record now.
  }
}

export function recordPath(part: string): string {
  return `${part}.json`
}

/** Throws `write-failed` if a running process writes the part. */
export async function checkDead(part: string, { record, stats }: FoundRecord): Promise<void> {
  if (stats.isDirectory()) throw writeFailed(recordPath(part), 'it is a directory')
  if (record === null) {
    if (stats.isFile() && (await isYoung(part, stats, lifeOf(stats)))) throw maybeWritten(part)
    return
  }
  if (record.writer === null) return
  const running = await isRunning(record.writer)
  if (running === false || (running === null && !(await isYoung(part, stats, foreignLife)))) return
  const { pid, host } = record.writer
  throw writeFailed(part, `${isWritten} (process ${pid}${running === null ? ` on ${host}` : ''})`)
}

/**
 * Throws `write-failed` if a foreign file has the name of a record by chance: it holds no record, and there is no part
 * beside it.
 */
async function checkOurs(part: string, { record, stats }: FoundRecord): Promise<void> {
  if (record !== null || stats.size === 0 || !isOwnFile(stats)) return
  if ((await orWriteFailed(part, () => lstatOf(part))) !== null) return
  throw writeFailed(recordPath(part), 'another file has that name; move it, or choose another name')
}

/**
 * How long an unreadable record counts as that of a running process. It may be new, belong to another user, or be
 * damaged.
 */
function lifeOf(stats: Stats): number {
  if (stats.size === 0) return momentary
  return stats.uid === process.getuid?.() ? 0 : foreignLife
}

async function isYoung(part: string, record: Stats, life: number): Promise<boolean> {
  if (life === 0) return false
  const written = (await orWriteFailed(part, () => lstatOf(part)))?.mtimeMs ?? 0
  // File times are finer than Date.now(), so a file just written may seem to be from the future. Dates much later than
  // now are wrong.
  return Math.abs(Date.now() - Math.max(written, record.mtimeMs)) < life
}

/** Makes the error if the process may have been killed before its record said who it is. Only time will tell. */
function maybeWritten(part: string): RetrievalError {
  const message = `${part} cannot be written: ${isWritten}.`
  return new RetrievalError('write-failed', message, { phase: 'save', transient: true, retryAfter: momentary })
}

const isWritten = 'another retrieval is writing it; wait for its end, or choose another name'

async function lengthOf(part: string, { record }: FoundRecord): Promise<number | null> {
  const stats = await orWriteFailed(part, () => lstatOf(part))
  return record === null || stats === null ? null : provenLength(record, stats)
}

/**
 * Replaces a dead process's record by ours in one step, so that a third retrieval always finds a record. Returns null
 * if another retrieval was faster. The new record is first a claim that only one retrieval can make at a time, and the
 * old record must still be the one that was found. If this process is killed, only the claim is left, and it is removed
 * later.
 */
async function takeOver(path: string, found: FoundRecord, record: PartRecord): Promise<number | null> {
  const claim = `${path}.take`
  const number = await makeClaim(claim, record)
  if (number === null) return null
  try {
    const now = await lstatOf(path)
    if (now !== null && isSame(now, found.stats)) {
      await rename(claim, path)
      return number
    }
  } catch (error) {
    await unlink(claim).catch(() => {})
    throw error
  }
  await unlink(claim).catch(() => {})
  return null
}

/**
 * Creates the claim. Returns null if there is one already. If a killed process left it, it is removed for the next try.
 */
async function makeClaim(claim: string, record: PartRecord): Promise<number | null> {
  try {
    return await createRecord(claim, record)
  } catch (error) {
    if (!isTaken(error)) throw error
    const stats = await lstatOf(claim)
    if (stats !== null && Date.now() - stats.mtimeMs > momentary) await unlink(claim).catch(() => {})
    return null
  }
}

/**
 * Whether two stats are of the same file. The inode number is not enough: a new file may get that of one just removed.
 */
function isSame(one: Stats, other: Stats): boolean {
  return (
    one.ino === other.ino && one.size === other.size && one.mtimeMs === other.mtimeMs && one.ctimeMs === other.ctimeMs
  )
}

function isTaken(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'EEXIST'
}

/** Returns null if another retrieval was faster. */
async function create(part: string, path: string, record: PartRecord): Promise<number | null> {
  return orWriteFailed(part, async () => {
    try {
      return await createRecord(path, record)
    } catch (error) {
      if (isTaken(error)) return null
      throw error
    }
  })
}
