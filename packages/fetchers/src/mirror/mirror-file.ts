import type { Stats } from 'node:fs'
import { type Resolution, RetrievalError } from '@retriever/core'
import type { SavedFile } from '../body/representation.ts'
import { saveWithSum } from '../body/save-with-sum.ts'
import { listeningTo } from '../kit/listeners.ts'
import type { WholePart } from '../saving/save-options.ts'
import { namedOf, type PageRequest, requestFor, type Saver } from '../walk/retriever.ts'
import { leadsOut, type Walk } from '../walk/walk.ts'
import type { WalkedEntry } from '../walk/walked-entry.ts'
import type { MirrorOptions } from './mirror-options.ts'
import { compare } from './unchanged.ts'
import { whenUnlocked } from './when-unlocked.ts'

/** A file of the tree, and how it is requested. */
export interface TreeFile {
  readonly entry: WalkedEntry
  readonly resolution: Resolution
  /** See RetrieveOptions.linkedFrom. */
  readonly linkedFrom: string | undefined
}

/** What every file of one mirror needs to be retrieved. */
export interface FileParts {
  readonly saver: Saver
  readonly walk: Walk
  readonly options: MirrorOptions
  readonly signal: AbortSignal
  /** The options of all retrievals; see requestOf(). */
  readonly request: FileRequest
}

type FileRequest = Pick<PageRequest, 'headers' | 'digest' | 'onEvent'> & { readonly signal: AbortSignal }

/** Thrown by the listener of requestOf(), which ends the retrieval before the redirect is followed. */
const leavesTree = new Error('The redirect leads out of the tree.')

/** Makes the options that all retrievals of files have. */
export function requestOf(options: MirrorOptions, saver: Saver, { scope }: Walk, signal: AbortSignal): FileRequest {
  return {
    signal,
    ...(options.headers !== undefined && { headers: options.headers }),
    ...namedOf(options, saver),
    ...(options.digest !== undefined && { digest: options.digest }),
    onEvent: listeningTo(new Set(['redirected']), (event) => {
      if (event.type === 'redirected' && !scope.has(saver.resolve(event.location))) throw leavesTree
    }),
  }
}

/**
 * Compares a file with the local one. A Gopher server knows no dates, so asking it for changes would only give a
 * remark.
 */
export function compareFile({ entry, resolution }: TreeFile, known: Stats | null): ReturnType<typeof compare> {
  const verdict = compare(entry, known)
  return verdict === 'ask' && resolution.plan.mechanism === 'gopher' ? 'new' : verdict
}

/** The facts about a file's place before the file is retrieved. */
interface Before {
  /** The local file, if the server is to say whether it has changed since. */
  readonly known: Stats | null
  /** True if its folder was empty before this run: there is neither a file nor a part. */
  readonly isNew: boolean
}

/** Retrieves a file of the tree. Returns null if the server says that the known file is current. */
export async function retrieveFile(
  { entry: { url, path }, resolution, linkedFrom }: TreeFile,
  file: string,
  { known, isNew }: Before,
  { saver, options, signal, request }: FileParts,
): Promise<SavedFile | null> {
  const { beforeName, resume } = options
  const saving = beforeName && { beforeName: (whole: WholePart) => beforeName({ path, url, file }, whole) }
  const asked = requestFor(request, linkedFrom)
  const own = known === null ? asked : { ...asked, ifChangedSince: known.mtime }
  const save = async (): Promise<SavedFile> => {
    // Looks for no part of an earlier run.
    if (isNew) return saveWithSum(await saver.retrieve(resolution, own), file, saving ?? {})
    return saver.save(resolution, file, { ...own, ...saving, ...(resume !== undefined && { resume }) })
  }
  try {
    return await whenUnlocked(signal, save)
  } catch (error) {
    if (!RetrievalError.is(error)) throw error
    if (error.code === 'not-modified') return null
    throw error.cause === leavesTree ? leadsOut(url) : error
  }
}
