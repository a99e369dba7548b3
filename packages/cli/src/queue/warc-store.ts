import { closeSync, existsSync, openSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { makeFolders } from '@retriever/fetchers/internal'
import type { Store, StoredUrl } from '@retriever/queue'
import type { Archive } from '../archive/archive.ts'
import { tryFile } from '../saving/destination.ts'

/**
 * A store of web archives: each worker writes files of its own. In common they have the folder `PREFIX-recorded`, with
 * an empty file for each URL that is whole in one of the archives: `ab/cdef0123...`, by the sum of the URL.
 */
export function warcStore(archive: Archive, prefix: string): Store {
  const pathOf = ({ id }: StoredUrl): string => join(`${prefix}-recorded`, id.slice(0, 2), id.slice(2))
  return {
    has: (url) => existsSync(pathOf(url)),
    put: async (url, representation) => {
      // The archive copies what is read.
      for await (const _ of representation);
      await archive.written()
      return isMade(pathOf(url))
    },
  }
}

/** Makes an empty file. Returns false if there is one. Throws `write-failed`. */
function isMade(path: string): boolean {
  const folder = dirname(path)
  tryFile(folder, () => makeFolders(folder))
  return tryFile(path, () => {
    try {
      closeSync(openSync(path, 'wx'))
      return true
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false
      throw error
    }
  })
}
