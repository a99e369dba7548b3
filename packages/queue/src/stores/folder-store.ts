import { randomBytes } from 'node:crypto'
import { existsSync, linkSync, mkdirSync, readdirSync, rmSync, statSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { RetrievalError, resolve } from '@retriever/core'
import { fileNameOf, type Representation } from '@retriever/fetchers'
import { invalidOption } from '@retriever/fetchers/plugin'
import type { Store, StoredUrl } from './store.ts'

/** Where unfinished files are, below the folder. */
const unfinished = '.unfinished'
/** One that nobody has written to for so long was left by a worker that was killed, in milliseconds. */
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
    return existsSync(this.#pathOf(url))
  }

  async put(url: StoredUrl, representation: Representation): Promise<boolean> {
    const path = this.#pathOf(url)
    const part = join(this.#folder, unfinished, `${this.#own}-${++this.#count}`)
    this.#makeFolder(dirname(part))
    if (this.#count === 1) removeLeft(dirname(part))
    await representation.saveTo(part, { resumable: false })
    this.#makeFolder(dirname(path))
    try {
      linkSync(part, path)
      return true
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code === 'EEXIST') return false
      throw notWritten(path, cause)
    } finally {
      rmSync(part, { force: true })
    }
  }

  #makeFolder(folder: string): void {
    if (this.#made.has(folder)) return
    try {
      mkdirSync(folder, { recursive: true })
    } catch (cause) {
      throw notWritten(folder, cause)
    }
    this.#made.add(folder)
  }

  #pathOf({ url, id }: StoredUrl): string {
    const resolution = resolve(url)
    const name = fileNameOf(resolution) ?? (resolution.plan.mechanism === 'http' ? 'index.html' : '')
    const [extension = ''] = /\.[a-z\d]{1,8}$/.exec(name.toLowerCase()) ?? []
    return join(this.#folder, id.slice(0, 2), `${id.slice(2)}${extension}`)
  }
}

/** Removes what workers that were killed have left. */
function removeLeft(folder: string): void {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name)
    const stats = statSync(path, { throwIfNoEntry: false })
    if (stats !== undefined && stats.mtimeMs < Date.now() - leftAfter) rmSync(path, { force: true })
  }
}

function notWritten(path: string, cause: unknown): RetrievalError {
  const reason = cause instanceof Error ? cause.message : String(cause)
  return new RetrievalError('write-failed', `${path} cannot be written: ${reason}.`, { phase: 'save', cause })
}
