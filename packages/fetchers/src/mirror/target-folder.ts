import { type Dirent, existsSync, lstatSync, opendirSync, type Stats } from 'node:fs'
import { lstat, mkdir, readdir, rmdir, unlink } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import type { Advice, RetrievalError } from '@retriever/core'
import { adviceText } from '@retriever/core/internal'
import { makeFolders } from '../kit/files/make-folders.ts'
import { orWriteFailed, special, writeFailed } from '../saving/local-file.ts'

/** The folder that a tree is saved to. It never writes or removes anything outside, even if the folder holds links. */
export class TargetFolder {
  readonly root: string
  /** The folders that were checked or made, by local path, and whether they were empty then. */
  readonly #made = new Map<string, Promise<boolean>>()

  /** The folders that open() made, from the root upwards. */
  readonly #opened: readonly string[]

  private constructor(root: string, opened: readonly string[]) {
    this.root = root
    this.#opened = opened
  }

  /** Makes the folder, unless it may be missing. Throws `write-failed`. */
  static async open(path: string, mayBeMissing = false): Promise<TargetFolder> {
    const root = resolve(path)
    const missing = mayBeMissing ? [] : missingFolders(root)
    if (!mayBeMissing)
      await orWriteFailed(root, async () => makeFolders(root), {
        EEXIST: 'it is no folder, and one is needed',
      })
    const target = new TargetFolder(root, missing)
    target.#made.set('', Promise.resolve(isEmpty(root)))
    return target
  }

  /** Removes the folders that open() made, if nothing has come into them. */
  async withdraw(): Promise<void> {
    for (const folder of this.#opened) {
      const isRemoved = await rmdir(folder).then(
        () => true,
        () => false,
      )
      if (!isRemoved) return
    }
  }

  fileAt(local: string): string {
    return join(this.root, ...local.split('/'))
  }

  /**
   * Makes a folder and those above it, up to the root. Throws `write-failed` if one is a link, even a link to a folder:
   * links may lead anywhere (threats.md 9). Resolves to whether it had nothing in it at that time, so that only this
   * run can have put anything there.
   */
  make(local: string): Promise<boolean> {
    const known = this.#made.get(local)
    if (known !== undefined) return known
    const making = this.#makeIn(parentOf(local), local)
    this.#made.set(local, making)
    return making
  }

  async #makeIn(parent: string, local: string): Promise<boolean> {
    await this.make(parent)
    const path = this.fileAt(local)
    let isMade = false
    const stats = await orWriteFailed(path, async () => {
      if (lstatOf(path) === null) isMade = await mkdir(path).then(() => true, unlessExists)
      return lstat(path)
    })
    if (stats.isDirectory()) return isMade
    if (stats.isFile()) throw inTheWay(path, 'a file', 'a folder')
    throw writeFailed(path, `it is ${special(stats)}, and a folder is needed`)
  }

  /** Returns what stands at a local path, even if it is a link. Null: nothing does. */
  at(local: string): Promise<Stats | null> {
    const path = this.fileAt(local)
    return orWriteFailed(path, async () => lstatOf(path))
  }

  /** Returns the file at a local path if it is a regular file. */
  async regularFile(local: string): Promise<Stats | null> {
    const stats = await this.at(local)
    return stats?.isFile() ? stats : null
  }

  /** Whether a folder stands at a local path. */
  async isFolder(local: string): Promise<boolean> {
    return (await this.at(local))?.isDirectory() === true
  }

  /** Returns the content of a folder; empty if there is none. */
  async list(local: string): Promise<Dirent[]> {
    const path = this.fileAt(local)
    return orWriteFailed(path, async () => {
      const stats = lstatOf(path)
      if (stats === null || (local !== '' && !stats.isDirectory())) return []
      return readdir(path, { withFileTypes: true })
    })
  }

  /** Deletes one file. If it is a link, its target stays. */
  async delete(local: string): Promise<void> {
    await orWriteFailed(this.fileAt(local), () => unlink(this.fileAt(local)))
  }

  /** Removes a folder if it is empty. */
  async removeEmpty(local: string): Promise<void> {
    await rmdir(this.fileAt(local)).catch(() => {})
  }
}

const deleting: Advice = { option: 'delete', value: true }

/** Makes the error for a local folder where the server now has a file, or the other way round. */
export function inTheWay(path: string, what: string, wanted: string): RetrievalError {
  const why = `it is ${what}, and the server has ${wanted} there now; remove it, or mirror with ${adviceText(deleting)}`
  return writeFailed(path, why, undefined, deleting)
}

export function parentOf(local: string): string {
  return local.slice(0, Math.max(0, local.lastIndexOf('/')))
}

/** The folders that are missing for a path, with itself, from the last one upwards. */
function missingFolders(path: string): string[] {
  const missing: string[] = []
  for (let at = path; !existsSync(at) && at !== dirname(at); at = dirname(at)) missing.push(at)
  return missing
}

/** Returns null if there is nothing. A synchronous call: the thread pool takes ten times as long, for each file. */
function lstatOf(path: string): Stats | null {
  try {
    return lstatSync(path, { throwIfNoEntry: false }) ?? null
  } catch (error) {
    // In a dry run, a file may stand in the place of a folder.
    if (error instanceof Error && 'code' in error && error.code === 'ENOTDIR') return null
    throw error
  }
}

/** Returns false for a folder that exists. */
function unlessExists(error: NodeJS.ErrnoException): boolean {
  if (error.code !== 'EEXIST') throw error
  return false
}

function isEmpty(path: string): boolean {
  try {
    const folder = opendirSync(path)
    try {
      return folder.readSync() === null
    } finally {
      folder.closeSync()
    }
  } catch {
    return false
  }
}
