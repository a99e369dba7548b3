import { randomBytes } from 'node:crypto'
import { linkSync, lstatSync, readdirSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { RetrievalError, resolve } from '@retriever/core'
import { fileNameOf, type Representation } from '@retriever/fetchers'
import { hashedPlace, makeFolders } from '@retriever/fetchers/internal'
import { invalidOption } from '@retriever/fetchers/plugin'
import type { Store, StoredUrl } from './store.ts'

/** Where unfinished files are, below the folder. */
const unfinished = '.unfinished'
/** The names there: of a worker, and a number. */
const partName = /^[\da-f]{16}-\d+$/
/** One that nobody has changed for so long was left by a worker that was killed, in milliseconds. */
const leftAfter = 24 * 60 * 60 * 1000

/**
 * A store of files in a folder, which may be one that all workers share, by NFS too: it needs only links. A file is
 * `ab/cdef0123....txt`, by the sum of its URL and the extension of its name: where the command's layout `hash` puts it.
 * It gets its name when it is complete, and only if nothing has that name. Throws `invalid-option`.
 */
export function folderStore(folder: string): Store {
  if (typeof folder !== 'string' || folder === '' || folder.includes('\0')) {
    throw invalidOption('folder', 'a path: a string of one character or more, without NUL', folder)
  }
  return new FolderStore(folder)
}

class FolderStore implements Store {
  readonly #folder: string
  /** The names of unfinished files begin so: no other worker has the same. */
  readonly #own = randomBytes(8).toString('hex')
  readonly #made = new Set<string>()
  #count = 0

  constructor(folder: string) {
    this.#folder = folder
  }

  has(url: StoredUrl): boolean {
    return hasFile(this.#pathOf(url))
  }

  async put(url: StoredUrl, representation: Representation): Promise<boolean> {
    const path = this.#pathOf(url)
    const number = ++this.#count
    const part = join(this.#folder, unfinished, `${this.#own}-${number}`)
    this.#makeFolder(dirname(part))
    if (number === 1) removeLeft(dirname(part))
    await representation.saveTo(part, { resumable: false })
    this.#makeFolder(dirname(path))
    try {
      linkSync(part, path)
      return true
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code === 'EEXIST' && hasFile(path)) return false
      throw notWritten(path, cause)
    } finally {
      rmSync(part, { force: true })
    }
  }

  #makeFolder(folder: string): void {
    if (this.#made.has(folder)) return
    try {
      makeFolders(folder)
    } catch (cause) {
      throw notWritten(folder, cause)
    }
    this.#made.add(folder)
  }

  #pathOf({ url, id }: StoredUrl): string {
    const resolution = resolve(url)
    const name = fileNameOf(resolution) ?? (resolution.plan.mechanism === 'http' ? 'index.html' : '')
    return join(this.#folder, hashedPlace(id, name))
  }
}

/** Throws `write-failed` for a name of something else, such as a FIFO or a link to nothing: no URL is kept there. */
function hasFile(path: string): boolean {
  try {
    if (lstatSync(path, { throwIfNoEntry: false }) === undefined) return false
    if (statSync(path, { throwIfNoEntry: false })?.isFile() === true) return true
  } catch (cause) {
    throw notWritten(path, cause)
  }
  throw notWritten(path, new Error('something else than a file has that name'))
}

/**
 * Removes what workers that were killed have left, and nothing else: the folder may be a link to another one. The time
 * of the last change counts, since a file of another worker has the server's Last-Modified as its own time already.
 */
function removeLeft(folder: string): void {
  for (const name of readdirSync(folder).filter((each) => partName.test(each))) {
    const path = join(folder, name)
    const stats = lstatSync(path, { throwIfNoEntry: false })
    if (stats?.isFile() === true && stats.ctimeMs < Date.now() - leftAfter) rmSync(path, { force: true })
  }
}

function notWritten(path: string, cause: unknown): RetrievalError {
  const reason = cause instanceof Error ? cause.message : String(cause)
  return new RetrievalError('write-failed', `${path} cannot be written: ${reason}.`, { phase: 'save', cause })
}
