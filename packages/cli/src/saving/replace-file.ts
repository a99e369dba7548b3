import { closeSync, openSync, renameSync, statSync, unlinkSync, writeFileSync } from 'node:fs'
import { isDescriptor } from '@retriever/fetchers/internal'
import { tryFile } from './destination.ts'
import { ownPath, writeInPlace } from './own-file.ts'

/**
 * Gives a file this content, one octet a character. An existing file keeps its mode, and its content until the new one
 * is complete; `mode` is for a new file. Throws `write-failed`, also for a link that another user made.
 */
export function replaceFile(path: string, content: string, mode: number): void {
  const place = ownPath(path)
  if (isDescriptor(place)) {
    writeInPlace(path, Buffer.from(content, 'latin1'))
    return
  }
  const temporary = temporaryFor(place)
  const own = tryFile(path, () => statSync(place, { throwIfNoEntry: false })?.mode ?? mode) & 0o777
  tryFile(path, () => writeNew(temporary, content, own))
  publish(temporary, place)
}

/** Writes a new file, or leaves none, as on a full disk. */
function writeNew(file: string, content: string, mode: number): void {
  const opened = openSync(file, 'wx', mode)
  try {
    writeFileSync(opened, content, 'latin1')
  } catch (error) {
    unlinkSync(file)
    throw error
  } finally {
    closeSync(opened)
  }
}

/** The name of the file while its new content is being written. */
export function temporaryFor(path: string): string {
  return `${path}.${process.pid}.tmp`
}

/** Renames a complete temporary file, or removes it if that fails. Throws `write-failed`. */
export function publish(temporary: string, path: string): void {
  try {
    tryFile(path, () => renameSync(temporary, path))
  } catch (error) {
    unlinkSync(temporary)
    throw error
  }
}
