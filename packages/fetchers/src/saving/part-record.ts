import { closeSync, constants, fstatSync, openSync, rmSync, type Stats, writeFileSync } from 'node:fs'
import { lstat, open, rename } from 'node:fs/promises'
import { redact } from '@retriever/core'
import type { ResumePoint } from '../contract/fetcher.ts'
import { whenFilesAllow } from '../kit/files/open-files.ts'
import { type ProcessIdentity, thisProcess } from './process-identity.ts'
import type { SavedFacts } from './saved-facts.ts'

/**
 * The content of `NAME.part.json`. It says which version of which resource the octets in NAME.part belong to, and which
 * process writes them. It exists as long as the part, so it is also the part's lock.
 */
export interface PartRecord {
  /** The requested URL, without secrets; null if the octets came from elsewhere. */
  readonly url: string | null
  /** HTTP's entity tag, weak or strong. */
  readonly etag: string | null
  /** The date of the resource. Null also if that was just before its retrieval. */
  readonly modified: Date | null
  /** The size of the complete file in octets. */
  readonly size: number | null
  /** How many octets of the part are certainly on the disk. Null while it is written. */
  readonly length: number | null
  /** The process that writes the part. Null: none. */
  readonly writer: ProcessIdentity | null
}

/** Only the owner may read the record, because the URL may reveal more than the file. */
const mode = 0o600
/** A URL has at most 64 KiB, and JSON may escape each of its characters. */
const maxLength = 1024 * 1024

/**
 * How old in milliseconds a date must be to prove a version. A file may change twice in a second, and clocks differ
 * (RFC 9110 8.8.2.2; RFC 7232 2.2.2 said 60 s).
 */
const strongAge = 60_000

/** The record of octets that no retrieval can continue. */
export const unproven: Omit<PartRecord, 'writer'> = { url: null, etag: null, modified: null, size: null, length: null }

export function recordOf(facts: SavedFacts, writer: ProcessIdentity): PartRecord {
  const { etag = null, modified, offset, size = null, url, redirects = [] } = facts
  const asked = redirects[0]?.url ?? url
  return {
    url: asked === undefined ? null : redact(asked),
    etag,
    modified: modified !== null && Date.now() - modified.getTime() >= strongAge ? modified : null,
    size: size === null ? null : offset + size,
    length: null,
    writer,
  }
}

/**
 * Returns the position to resume from. Null if there is neither a strong entity tag nor a date to prove that the rest
 * belongs to the same version. Two versions may have the same size, or the same weak entity tag (RFC 9110 8.8.1).
 */
export function pointOf({ etag, modified, size }: PartRecord, offset: number): ResumePoint | null {
  const isProven = modified !== null || (etag !== null && !etag.startsWith('W/'))
  return isProven ? { offset, etag, modified, size } : null
}

/** Returns how many octets of the part can be resumed from, by its record. Null if unknown. */
export async function provenLength(record: PartRecord, part: Stats): Promise<number | null> {
  if (record.length !== null) return record.length <= part.size ? record.length : null
  // A killed process has written everything that the file has. But if the machine stopped as well, the part may have
  // gaps.
  const { host, boot } = await thisProcess()
  const { writer } = record
  return writer !== null && boot !== null && writer.host === host && writer.boot === boot ? part.size : null
}

/** A record as found on the disk. */
export interface FoundRecord {
  /** Null if the file holds no record: it is damaged, or is not a regular file of this user. */
  readonly record: PartRecord | null
  readonly stats: Stats
}

/** Reads a record. Returns null if there is no such file. Follows no link, and does not wait for a FIFO. */
export async function readRecord(path: string): Promise<FoundRecord | null> {
  const stats = await lstatOf(path)
  if (stats === null) return null
  if (!isOwnFile(stats) || stats.size > maxLength) return { record: null, stats }
  const { O_RDONLY, O_NOFOLLOW } = constants
  const flags = O_RDONLY | O_NOFOLLOW | (constants.O_NONBLOCK ?? 0)
  const file = await whenFilesAllow(() => open(path, flags)).catch(() => null)
  if (file === null) return null
  try {
    return { record: parse(await file.readFile('utf8')), stats }
  } finally {
    await file.close()
  }
}

/**
 * Creates the file and returns its inode number. Rejects with EEXIST if the file exists. The calls are synchronous: a
 * process that is killed between two of them leaves an empty record, of which nobody knows whose it is.
 */
export function createRecord(path: string, record: PartRecord): Promise<number> {
  return whenFilesAllow(async () => {
    const file = openSync(path, 'wx', mode)
    try {
      writeFileSync(file, format(record))
      return fstatSync(file).ino
    } catch (error) {
      rmSync(path, { force: true })
      throw error
    } finally {
      closeSync(file)
    }
  })
}

/**
 * Replaces the record in one step, so that a reader sees either the old or the new one. Returns the inode number of the
 * new file.
 */
export async function replaceRecord(path: string, record: PartRecord): Promise<number> {
  const temporary = temporaryName(path)
  const number = await createRecord(temporary, record)
  await rename(temporary, path)
  return number
}

/**
 * Whether this is a regular file of this user that has only one name. If so, no other user can have put it there
 * (threats.md case 31).
 */
export function isOwnFile(stats: Stats): boolean {
  const user = process.getuid?.()
  return stats.isFile() && stats.nlink === 1 && (user === undefined || stats.uid === user)
}

/** Returns the stats of the name itself, without following a link. Null if it does not exist. */
export async function lstatOf(path: string): Promise<Stats | null> {
  return lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
}

let count = 0

/** Makes a name beside the file that no other process uses. */
function temporaryName(path: string): string {
  count++
  return `${path}.${process.pid}-${count}`
}

function format(record: PartRecord): string {
  return `${JSON.stringify(record)}\n`
}

function parse(text: string): PartRecord | null {
  const found = fromJson(text)
  if (found === null) return null
  const { url, etag, modified, size, length, writer } = found
  const date = typeof modified === 'string' ? new Date(modified) : null
  const isWhole =
    (url === null || typeof url === 'string') &&
    (etag === null || (typeof etag === 'string' && /^(?:W\/)?"[\x21\x23-\x7E\x80-\xFF]*"$/.test(etag))) &&
    (modified === null || (date !== null && !Number.isNaN(date.getTime()))) &&
    isSize(size) &&
    isSize(length)
  if (!isWhole || (writer !== null && !isIdentity(writer))) return null
  return { url, etag, modified: date, size, length, writer }
}

function fromJson(text: string): Record<string, unknown> | null {
  try {
    const found: unknown = JSON.parse(text)
    return typeof found === 'object' && found !== null ? { ...found } : null
  } catch {
    return null
  }
}

function isSize(value: unknown): value is number | null {
  return value === null || (typeof value === 'number' && Number.isSafeInteger(value) && value >= 0)
}

function isIdentity(value: unknown): value is ProcessIdentity {
  if (typeof value !== 'object' || value === null) return false
  const { pid, started, host, boot }: Partial<Record<string, unknown>> = { ...value }
  const isPid = typeof pid === 'number' && Number.isSafeInteger(pid) && pid > 0
  return isPid && isText(started) && typeof host === 'string' && isText(boot)
}

function isText(value: unknown): boolean {
  return value === null || typeof value === 'string'
}
