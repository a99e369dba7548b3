import type { PathFilter } from '../walk/path-filter.ts'
import { type LocalNames, localName } from './local-names.ts'
import type { TargetFolder } from './target-folder.ts'

export interface Surplus {
  readonly target: TargetFolder
  /** The names of all entries that the server has, wanted or not. */
  readonly names: LocalNames
  /** The filters of the options. Paths that they exclude are not deleted. */
  readonly filter: PathFilter
  /** True: nothing is deleted, only reported. */
  readonly isDryRun: boolean
  /** Whether we know everything that the server has in this folder. */
  isListed(local: string): boolean
}

/**
 * Deletes the regular files that mirror() could have named and that the server does not have, and then the empty
 * folders. Links are neither followed nor deleted. Partial files stay, since no mirrored file has such a name. Yields
 * the local path of each deleted file.
 */
export async function* deleteSurplus(surplus: Surplus, folder = '', isKnown = true): AsyncGenerator<string> {
  const { target, names, filter, isListed, isDryRun } = surplus
  if (isKnown && !isListed(folder)) return
  for (const entry of await target.list(folder)) {
    const { name } = entry
    const local = folder === '' ? name : `${folder}/${name}`
    if (filter.isExcluded(local, entry.isDirectory())) continue
    const isOnServer = names.has(local)
    if (entry.isDirectory()) {
      if (isOnServer) yield* deleteSurplus(surplus, local)
      else if (localName(name) === name) {
        yield* deleteSurplus(surplus, local, false)
        if (!isDryRun) await target.removeEmpty(local)
      }
    } else if (entry.isFile() && !isOnServer && localName(name) === name && filter.isIncluded(local, false)) {
      if (!isDryRun) await target.delete(local)
      yield local
    }
  }
}

/**
 * Deletes in the same way the content of a local folder that is now a file on the server, and then the folder if it is
 * empty.
 */
export async function* deleteFolder(surplus: Surplus, folder: string): AsyncGenerator<string> {
  yield* deleteSurplus(surplus, folder, false)
  if (!surplus.isDryRun) await surplus.target.removeEmpty(folder)
}
