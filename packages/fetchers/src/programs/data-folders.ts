import { homedir } from 'node:os'
import { delimiter, isAbsolute, join } from 'node:path'

/** Returns the folders in which applications keep data, the caller's own first (XDG Base Directory Specification). */
export function dataFolders({ XDG_DATA_HOME, XDG_DATA_DIRS }: NodeJS.ProcessEnv): readonly string[] {
  const home = XDG_DATA_HOME || join(homedir(), '.local', 'share')
  const others = (XDG_DATA_DIRS || '/usr/local/share:/usr/share').split(delimiter)
  // The specification says that relative paths are ignored.
  return [...new Set([home, ...others].filter((folder) => isAbsolute(folder)))]
}
