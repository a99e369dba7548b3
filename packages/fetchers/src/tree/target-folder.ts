import type { Dirent, Stats } from 'node:fs'
import { lstat, mkdir, readdir, rmdir, unlink } from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { orWriteFailed, special, writeFailed } from '../result/local-file.ts'

/** The folder that a tree is brought to. Nothing outside is written or removed, whatever links it holds. */
export class TargetFolder {
  readonly root: string
  /** The folders that were checked or made, by their local path. */
  readonly #made = new Map<string, Promise<void>>()

  private constructor(root: string) {
    this.root = root
  }

  /** Makes the folder, unless it may be missing. Throws `write-failed`. */
  static async open(path: string, mayBeMissing = false): Promise<TargetFolder> {
    const root = resolve(path)
    if (!mayBeMissing)
      await orWriteFailed(root, () => mkdir(root, { recursive: true }), {
        EEXIST: 'it is no folder, and one is needed',
      })
    return new TargetFolder(root)
  }

  fileAt(local: string): string {
    return join(this.root, ...local.split('/'))
  }

  /**
   * Makes a folder and those above it, up to the root. Throws `write-failed` if one is a link, even a link to a folder:
   * it may lead anywhere (security.md 9).
   */
  make(local: string): Promise<void> {
    if (local === '') return Promise.resolve()
    const known = this.#made.get(local)
    if (known !== undefined) return known
    const making = this.#makeIn(parentOf(local), local)
    this.#made.set(local, making)
    return making
  }

  async #makeIn(parent: string, local: string): Promise<void> {
    await this.make(parent)
    const path = this.fileAt(local)
    const stats = await orWriteFailed(path, async () => {
      if ((await lstatOf(path)) === null) await mkdir(path).catch(unlessExists)
      return lstat(path)
    })
    if (stats.isDirectory()) return
    throw writeFailed(path, `it is ${stats.isFile() ? 'a file' : special(stats)}, and a folder is needed`)
  }

  /** The file at a local path, if it is a regular one. */
  async regularFile(local: string): Promise<Stats | null> {
    const stats = await orWriteFailed(this.fileAt(local), () => lstatOf(this.fileAt(local)))
    return stats?.isFile() ? stats : null
  }

  /** The content of a folder; none if it does not exist. */
  async list(local: string): Promise<Dirent[]> {
    const path = this.fileAt(local)
    return orWriteFailed(path, async () => {
      const stats = await lstatOf(path)
      if (stats === null || (local !== '' && !stats.isDirectory())) return []
      return readdir(path, { withFileTypes: true })
    })
  }

  /** Deletes one file, and never what a link leads to. */
  async delete(local: string): Promise<void> {
    await orWriteFailed(this.fileAt(local), () => unlink(this.fileAt(local)))
  }

  /** Removes a folder if it is empty. */
  async removeEmpty(local: string): Promise<void> {
    await rmdir(this.fileAt(local)).catch(() => {})
  }
}

export function parentOf(local: string): string {
  return local.slice(0, Math.max(0, local.lastIndexOf('/')))
}

async function lstatOf(path: string): Promise<Stats | null> {
  return lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === 'ENOENT') return null
    throw error
  })
}

function unlessExists(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error
}
