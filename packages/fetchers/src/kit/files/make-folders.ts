import { mkdir, stat } from 'node:fs/promises'
import { dirname } from 'node:path'

/**
 * Makes a folder and those above it that are missing. Rejects with the system's error. We do not use Node's
 * `recursive`: it says ENOENT on a read-only file system, and never ends if the system makes no folders, as in /proc.
 */
export async function makeFolders(path: string, mode: number = 0o777): Promise<void> {
  try {
    await mkdir(path, mode)
  } catch (error) {
    if (await isFolder(path)) return
    const parent = dirname(path)
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT' || parent === path) throw error
    await makeFolders(parent, mode)
    await mkdir(path, mode).catch(async (again) => {
      // Another one may have made it in the meantime.
      if (!(await isFolder(path))) throw again
    })
  }
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (stats) => stats.isDirectory(),
    () => false,
  )
}
