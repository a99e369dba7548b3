import type { Stats } from 'node:fs'
import { RetrievalError } from '@retriever/core'
import type { SavedFile } from '../body/representation.ts'
import type { RetrievalEvent } from '../contract/events.ts'
import type { WholePart } from '../saving/save-options.ts'
import { namedOf, type Saver } from '../walk/retriever.ts'
import { leadsOut, type Walk } from '../walk/walk.ts'
import type { WalkedEntry } from '../walk/walked-entry.ts'
import type { MirrorOptions } from './mirror-options.ts'
import { compare } from './unchanged.ts'
import { whenUnlocked } from './when-unlocked.ts'

/** What every file of one mirror needs to be retrieved. */
export interface FileParts {
  readonly saver: Saver
  readonly walk: Walk
  readonly options: MirrorOptions
  readonly signal: AbortSignal
}

/**
 * Compares an entry with the local file. A Gopher server knows no dates, so asking it for changes would only give a
 * remark.
 */
export function compareFile(entry: WalkedEntry, known: Stats | null, { saver }: FileParts): ReturnType<typeof compare> {
  const verdict = compare(entry, known)
  return verdict === 'ask' && saver.resolve(entry.url).plan.mechanism === 'gopher' ? 'new' : verdict
}

/** Retrieves a file of the tree. Returns null if the server says that the known file is current. */
export async function retrieveFile(
  { url, path }: WalkedEntry,
  file: string,
  known: Stats | null,
  { saver, walk, options, signal }: FileParts,
): Promise<SavedFile | null> {
  let refused: RetrievalError | null = null
  const { beforeName } = options
  const request = {
    signal,
    ...(options.headers !== undefined && { headers: options.headers }),
    ...namedOf(options, saver),
    ...(options.digest !== undefined && { digest: options.digest }),
    ...(options.resume !== undefined && { resume: options.resume }),
    ...(beforeName !== undefined && { beforeName: (whole: WholePart) => beforeName({ path, url, file }, whole) }),
    ...(known !== null && { ifChangedSince: known.mtime }),
    onEvent: (event: RetrievalEvent) => {
      if (event.type !== 'redirected' || walk.scope.has(saver.resolve(event.location))) return
      refused = leadsOut(url)
      throw refused
    },
  }
  try {
    return await whenUnlocked(signal, () => saver.save(walk.scope.resolve(url) ?? url, file, request))
  } catch (error) {
    if (RetrievalError.is(error) && error.code === 'not-modified') return null
    throw refused ?? error
  }
}
