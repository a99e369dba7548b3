import { lstatSync, readFileSync, renameSync, statSync, unlinkSync, writeFileSync } from 'node:fs'
import { tryFile, writeFailed } from '../saving/destination.ts'

/** The text of a cookie file, one octet a character. As in curl, a file that cannot be read has no cookies. */
export function readCookieFile(file: string): string {
  try {
    return readFileSync(file === '-' ? 0 : file, 'latin1')
  } catch {
    return ''
  }
}

/**
 * Writes a cookie file, which only its owner may read if it is new. An existing file keeps its content until the new one
 * is complete. Throws `write-failed`.
 */
export function writeCookies(file: string, text: string): void {
  const stats = tryFile(file, () => statSync(file, { throwIfNoEntry: false }))
  if (stats !== undefined && !stats.isFile()) {
    tryFile(file, () => writeFileSync(file, text, 'latin1'))
    return
  }
  if (lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink())
    throw writeFailed(file, 'a symbolic link stands there; name the file that it leads to')
  const temporary = `${file}.${process.pid}.tmp`
  const mode = (stats?.mode ?? 0o600) & 0o777
  tryFile(file, () => writeFileSync(temporary, text, { encoding: 'latin1', flag: 'wx', mode }))
  try {
    tryFile(file, () => renameSync(temporary, file))
  } catch (error) {
    unlinkSync(temporary)
    throw error
  }
}
