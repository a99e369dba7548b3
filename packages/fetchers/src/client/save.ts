import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { formatLocator, type Resolution, RetrievalError, redact } from '@retriever/core'
import type { Representation, SavedFile } from '../body/representation.ts'
import { saveWithSum } from '../body/save-with-sum.ts'
import type { ResumePoint } from '../contract/fetcher.ts'
import { callback, checkOptions, flag, type OptionKind, type OptionKinds } from '../kit/options.ts'
import { checksum } from '../saving/digests.ts'
import { checkPathText, noFolder } from '../saving/local-file.ts'
import { findPart, type KeptPart } from '../saving/part-file.ts'
import { recordPath } from '../saving/part-lock.ts'
import { checkTarget } from '../saving/save.ts'
import type { SaveOptions } from '../saving/save-options.ts'
import { holdFifo } from '../saving/special-file.ts'
import type { RetrieveOptions } from './client-options.ts'
import type { KnownOptions } from './options/known.ts'

/** The options of a retrieval that say which octets come: a file gets all. */
type Extent = 'range' | 'resumeFrom' | 'head'

/** Options of client.save(): those of the retrieval, and those of the file. */
export interface SaveUrlOptions
  extends Omit<RetrieveOptions, Extent>,
    Pick<SaveOptions, 'overwrite' | 'folders' | 'resumable' | 'special' | 'dated' | 'checksum' | 'beforeName'> {
  /** False: begin anew, even if an earlier save has left a part. Default true. */
  readonly resume?: boolean
}

const saveKinds: Readonly<Record<Exclude<keyof SaveUrlOptions, keyof RetrieveOptions>, OptionKind>> = {
  overwrite: flag,
  folders: flag,
  resumable: flag,
  special: flag,
  dated: flag,
  checksum,
  beforeName: callback,
  resume: flag,
}

/** The checks of save()'s options, by those of a call: a client saves many files, and these are many options. */
const checks = new WeakMap<OptionKinds, OptionKinds>()

function checksOf(call: OptionKinds): OptionKinds {
  const known = checks.get(call)
  if (known !== undefined) return known
  const { range: _range, resumeFrom: _resumeFrom, head: _head, ...callKinds } = call
  const kinds = { ...callKinds, ...saveKinds }
  checks.set(call, kinds)
  return kinds
}

/** The methods of a Client that save() uses. */
interface Retriever {
  retrieve(resolution: Resolution, options?: RetrieveOptions): Promise<Representation>
  resolve(url: string | URL | Resolution, base?: string): Resolution
}

/** Implements Client.save. */
export async function saveUrl(
  client: Retriever,
  url: string | URL | Resolution,
  path: string,
  options: SaveUrlOptions,
  { call }: KnownOptions,
): Promise<SavedFile> {
  checkPathText('path', path)
  checkOptions(options, checksOf(call))
  const {
    overwrite = true,
    folders = false,
    resumable = true,
    special = false,
    dated = true,
    resume = true,
    ...others
  } = options
  const { checksum: expected, beforeName, ...request } = others
  const saving = {
    overwrite,
    folders,
    resumable,
    special,
    dated,
    ...(expected !== undefined && { checksum: expected }),
    ...(beforeName !== undefined && { beforeName }),
  }
  const resolution = client.resolve(url, request.base)
  await checkPath(path, saving)
  await using _held = special ? await holdFifo(path) : null
  // Without a record nothing proves where the rest would belong.
  const part = existsSync(recordPath(`${path}.part`)) ? await findPart(path) : null
  const point = resume ? resumePointOf(part, resolution) : null
  const saveFrom = async (resumeFrom?: ResumePoint): Promise<SavedFile> => {
    const representation = await client.retrieve(resolution, { ...request, ...(resumeFrom && { resumeFrom }) })
    return saveWithSum(representation, path, saving)
  }
  if (point === null) return await saveFrom()
  try {
    return await saveFrom(point)
  } catch (error) {
    if (!isRefused(error)) throw error
    return await saveFrom()
  }
}

/** Throws `write-failed` before a server is contacted, if saving is sure to fail. */
async function checkPath(path: string, options: SaveOptions): Promise<void> {
  const { replaced, special } = await checkTarget(path, options)
  if (replaced === null && special === null && !options.folders && !existsSync(dirname(path))) throw noFolder(path)
}

/**
 * The position from which a URL continues a part, for RequestOptions.resumeFrom; null: nothing proves that the rest of
 * the URL belongs behind the part.
 */
export function resumePointOf(part: KeptPart | null, { locator }: Resolution): ResumePoint | null {
  if (part === null || part.point === null) return null
  const full = formatLocator({ ...locator, password: null })
  const shown = redact(full)
  if (part.url !== shown) return null
  const { etag } = part.point
  // URLs that differ only in a secret may be two resources with one date.
  return shown === full || (etag != null && !etag.startsWith('W/')) ? part.point : null
}

/** Whether the server, or the length of its file, does not allow to go on. */
function isRefused(error: unknown): boolean {
  return RetrievalError.is(error) && (error.code === 'resume-failed' || error.code === 'range-refused')
}
