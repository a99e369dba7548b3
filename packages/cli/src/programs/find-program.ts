import { accessSync, constants, statSync } from 'node:fs'
import { delimiter, isAbsolute, join } from 'node:path'

/**
 * The path of a program in the folders of PATH, on Windows first in the system's own folder; null if there is none.
 * Relative folders of PATH are skipped: they change with the current folder, which may come from other people.
 */
export function findProgram(name: string, env: NodeJS.ProcessEnv): string | null {
  const isWindows = process.platform === 'win32'
  const folders = (env.PATH ?? env.Path ?? '').split(delimiter).filter((folder) => isAbsolute(folder))
  if (isWindows && env.SystemRoot !== undefined) folders.unshift(join(env.SystemRoot, 'System32'))
  const file = isWindows ? `${name}.exe` : name
  return folders.map((folder) => join(folder, file)).find(isExecutable) ?? null
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    return false
  }
}
