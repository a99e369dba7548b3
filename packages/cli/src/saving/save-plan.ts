import { existsSync, lstatSync, statSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import { formatLocator, type Resolution, RetrievalError, redact } from '@retriever/core'
import {
  fileNameOf,
  type Representation,
  type ResumePoint,
  type SavedFile,
  type SaveOptions,
} from '@retriever/fetchers'
import { findPart, type KeptPart, resumePointOf, writtenNameOf } from '@retriever/fetchers/internal'
import type { Retrieval } from '../retrieval.ts'
import type { Run } from '../run.ts'
import { expectedSum, type Saved } from './checksum.ts'
import { checkNotShorter, endOfWhole, startIn, unverifiedEnd } from './continuation.ts'
import { checkOutput, checkWritable, type Destination, tryFile, writeFailed } from './destination.ts'

export type FileDestination = Exclude<Destination, { to: 'stdout' }>

/** How a body becomes a file: its first octet, and the file to which it is appended. */
export interface SavePlan {
  readonly path: string
  /** The first octet to retrieve; 0 means the beginning. */
  readonly from: number | ResumePoint
  /** The length of the file to which the rest is appended; null if the body first goes to NAME.part. */
  readonly behind: number | null
  /** Why the whole body is retrieved although some octets are there. Default null. */
  readonly anew?: string | null
  /** Whether nothing proves that the rest belongs to the octets that are there. Default false. */
  readonly isUnverified?: boolean
  readonly options: SaveOptions
}

/** What an earlier run of the command did. */
export interface Earlier {
  /** Whether the file is its own, and may be replaced. Default false. */
  readonly isOurs?: boolean
  /** Whether a part that it left is continued without -C. Default false. */
  readonly resumes?: boolean
  /** Whether missing folders of the file are made. Default false. */
  readonly makesFolders?: boolean
}

/**
 * Plans how to save a body. `isNamed` means that -o names the file. Rejects with `write-failed`, before a server is
 * contacted, if writing is sure to fail.
 */
export async function planSave(
  path: string,
  isNamed: boolean,
  retrieval: Pick<Retrieval, 'entered'> & Saved,
  { config }: Pick<Run, 'config'>,
  { isOurs = false, resumes = false, makesFolders = false }: Earlier = {},
): Promise<SavePlan> {
  const { continueAt, continueUnverified, clobber, timeFile, remoteTime } = config
  if (path.endsWith('/')) throw writeFailed(path, 'it names a directory; name a file in it')
  // `-z FILE -O` brings FILE up to date, so it overwrites FILE.
  const overwrite = isOurs || (clobber ?? (isNamed || timeFile === resolve(path)))
  const hasFolder = !makesFolders || existsSync(dirname(path))
  const isTaken = hasFolder && checkOutput(path, overwrite || continueAt !== null, isNamed)
  // -C and -z may leave the file as it is.
  if (isTaken && !isOurs && continueAt === null && timeFile === null) checkWritable(path)
  const checksum = expectedSum(config.hashes, retrieval, path)
  const resumable = config.removeOnError ? { resumable: false } : {}
  const folders = makesFolders ? { folders: true } : {}
  const options = {
    overwrite,
    ...folders,
    special: isNamed,
    dated: remoteTime,
    ...resumable,
    ...(checksum && { checksum }),
  }
  const anew: SavePlan = { path, from: 0, behind: null, options }
  if (isTaken && continueAt === null && isSpecial(path)) return anew
  const part = hasPart(path) ? await findPart(path) : null
  if (continueAt === null && !resumes) return anew
  const exists = lstatSync(path, { throwIfNoEntry: false }) !== undefined
  // As in curl, a new file begins with the octet that -C names.
  if (typeof continueAt === 'number' && !exists)
    return { ...anew, from: continueAt, options: { ...options, resumable: false } }
  const { entered } = retrieval
  const point = continueAt === 'end' || resumes ? resumePointOf(part, entered) : null
  if (point !== null) return { ...anew, from: point, options: { ...options, overwrite: overwrite || exists } }
  if (continueAt === null) return anew
  if (exists) return behind(path, startIn(path, continueAt), options, continueUnverified)
  if (part === null || part.length === 0) return anew
  const unproven = continueUnverified && part.url === shownUrl(entered) ? part.unproven : null
  return unproven === null ? { ...anew, anew: whyAnew(part, entered) } : { ...anew, from: unproven, isUnverified: true }
}

/** The name of the file for -O; a fixed name if the URL has none. */
export function nameFor(resolution: Resolution): string {
  return fileNameOf(resolution) ?? (resolution.plan.mechanism === 'http' ? 'index.html' : 'download')
}

/** Why the file is not where its layout would put it; null if it is. */
export function whyMoved(wanted: string, path: string): string | null {
  return path === wanted ? null : `since ${wanted} is taken`
}

/** Why the file does not have the name at the end of the URL; null if it has. `name` is what nameFor() gives. */
export function whyRenamed(resolution: Resolution, path: string, name: string): string | null {
  const written = writtenNameOf(resolution) || name
  if (name !== written) return `since ${JSON.stringify(written)} is no safe name for a file`
  return basename(path) === name ? null : `since ${name} is taken`
}

/**
 * The plan for an existing file whose version is unknown. If the file is whole, nothing comes. Otherwise the resource
 * is retrieved from its beginning, and replaces the file once it is complete, unless it is shorter. The rest is
 * appended only if the caller asks for that, or if a checksum proves the result; if the checksum is wrong, the file
 * gets its former length.
 */
function behind(
  path: string,
  start: number,
  { overwrite, dated = true, checksum }: SaveOptions,
  continueUnverified: boolean,
): SavePlan {
  const options = { append: true, dated, ...(overwrite !== undefined && { overwrite }), ...(checksum && { checksum }) }
  const plan = { path, behind: start, options }
  if (start === 0) return { ...plan, from: 0 }
  if (continueUnverified || checksum !== undefined)
    return { ...plan, from: unverifiedEnd(path, start), isUnverified: checksum === undefined }
  return { ...plan, from: endOfWhole(path, start), anew: startsOver(path) }
}

/** Throws if the response must not replace the existing file. */
export function checkPlan({ path, from, behind }: SavePlan, representation: Representation): void {
  if (behind !== null) checkNotShorter(path, behind, representation)
  else if (typeof from === 'number' && from > 0 && representation.offset !== from) {
    const { url } = representation
    const message = `${url}: It cannot be retrieved from octet ${from} on; leave -C out.`
    throw new RetrievalError('range-refused', message, { phase: 'body', url })
  }
}

/** Adds advice to the error for a file that is longer than the resource: how to replace it. */
export function withAdvice({ path, behind, options }: SavePlan, error: unknown): unknown {
  if (behind === null || !RetrievalError.is(error) || error.code !== 'resume-failed') return error
  const advice = options.overwrite === false ? 'remove it first, or name another file with -o' : 'leave -C out'
  return new RetrievalError(error.code, `${error.message} To replace ${path}, ${advice}.`, error)
}

/** Saves the response as planned, with `head` before it. */
export async function saveAsPlanned(
  { path, behind, options }: SavePlan,
  representation: Representation,
  head: Uint8Array | null = null,
): Promise<SavedFile> {
  const isAsPlanned = behind === null || behind === 0 || representation.offset > 0
  const { checksum, dated = true } = options
  // A part is continued without another look at the file, so a part of unknown length must not be kept.
  const whole = { resumable: representation.size !== null, shrink: false, dated, ...(checksum && { checksum }) }
  return await representation.saveTo(path, {
    ...(isAsPlanned ? options : whole),
    ...(head !== null && { before: head }),
  })
}

/** Whether there is a part or its record. Two synchronous calls take a tenth of the time of findPart(). */
function hasPart(path: string): boolean {
  return [`${path}.part`, `${path}.part.json`].some((name) => {
    return tryFile(name, () => lstatSync(name, { throwIfNoEntry: false })) !== undefined
  })
}

function isSpecial(path: string): boolean {
  const stats = statSync(path, { throwIfNoEntry: false })
  return stats !== undefined && !stats.isFile()
}

function whyAnew({ path, url, unproven }: KeptPart, resolution: Resolution): string {
  if (url !== null && url !== shownUrl(resolution))
    return `it starts over: ${path} holds a part of another URL (${url})`
  return startsOver(path, unproven !== null)
}

/** Why a retrieval starts over. `canAppend` means that --continue-unverified would have an effect. */
function startsOver(path: string, canAppend = true): string {
  const why = `it starts over: nothing proves which version ${path} holds`
  return canAppend ? `${why} (--continue-unverified appends anyway)` : why
}

function shownUrl({ locator }: Resolution): string {
  return redact(formatLocator({ ...locator, password: null }))
}
