import { lstatSync, renameSync, statSync, unlinkSync, writeFileSync } from 'node:fs'
import { tryFile, writeFailed } from './destination.ts'

/**
 * Gives a file this content, one octet a character. An existing file keeps its mode, and its content until the new one
 * is complete; `mode` is that of a new one. Throws `write-failed`, also for a symbolic link.
 */
export function replaceFile(path: string, content: string, mode: number): void {
  const temporary = temporaryFor(path)
  refuseLink(path)
  const own = tryFile(path, () => statSync(path, { throwIfNoEntry: false })?.mode ?? mode) & 0o777
  tryFile(path, () => writeFileSync(temporary, content, { encoding: 'latin1', flag: 'wx', mode: own }))
  publish(temporary, path)
}

/** The name under which the new content of a file is written. */
export function temporaryFor(path: string): string {
  return `${path}.${process.pid}.tmp`
}

/** Gives a complete temporary file its name, or removes it. Throws `write-failed`. */
export function publish(temporary: string, path: string): void {
  try {
    tryFile(path, () => renameSync(temporary, path))
  } catch (error) {
    unlinkSync(temporary)
    throw error
  }
}

/** Throws `write-failed` for a symbolic link, which a file would replace. */
export function refuseLink(path: string): void {
  const stats = tryFile(path, () => lstatSync(path, { throwIfNoEntry: false }))
  if (stats?.isSymbolicLink()) throw writeFailed(path, 'a symbolic link stands there; name the file that it leads to')
}
