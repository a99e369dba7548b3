import { mkdirSync, statSync } from 'node:fs'
import { dirname } from 'node:path'

/**
 * Makes a folder and those above it that are missing. Throws the system's error. We do not use Node's `recursive`: it
 * says ENOENT on a read-only file system, and never ends if the system makes no folders, as in /proc.
 */
export function makeFolders(path: string, mode: number = 0o777): void {
  try {
    mkdirSync(path, mode)
  } catch (error) {
    if (isFolder(path)) return
    const parent = dirname(path)
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || parent === path) throw error
    makeFolders(parent, mode)
    try {
      mkdirSync(path, mode)
    } catch (again) {
      // Another process may have made it in the meantime.
      if (!isFolder(path)) throw again
    }
  }
}

function isFolder(path: string): boolean {
  try {
    return statSync(path).isDirectory()
  } catch {
    return false
  }
}
