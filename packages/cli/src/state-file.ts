import { closeSync, constants, fstatSync, openSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname } from 'node:path'
import { makeFolders } from '@retriever/fetchers/internal'

/** Without O_NONBLOCK, opening a FIFO waits for its other end. Windows has neither. */
const { O_APPEND, O_CREAT, O_NONBLOCK = 0, O_RDONLY, O_WRONLY } = constants

/** The text of a file in the state folder; null if there is no regular file of that name. */
export function readStateFile(path: string): string | null {
  try {
    return onFile(path, O_RDONLY, (file) => readFileSync(file, 'utf8'))
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'ENOENT') return null
    throw error
  }
}

/** Replaces a file in the state folder in one step, since another process may read it meanwhile. */
export function replaceStateFile(path: string, text: string): void {
  makeFolderOf(path)
  const whole = `${path}.${process.pid}`
  rmSync(whole, { force: true })
  writeFileSync(whole, text, { flag: 'wx', mode: 0o600 })
  renameSync(whole, path)
}

/**
 * Appends lines to a file in the state folder. The system appends what one call writes in one step, so that no line of
 * another process is lost.
 */
export function appendToStateFile(path: string, lines: string): void {
  makeFolderOf(path)
  onFile(path, O_WRONLY | O_APPEND | O_CREAT, (file) => writeFileSync(file, lines))
}

function makeFolderOf(path: string): void {
  makeFolders(dirname(path), 0o700)
}

/** Opens a file and uses it; returns null if it is no regular file. */
function onFile<T>(path: string, flags: number, use: (file: number) => T): T | null {
  const file = openSync(path, flags | O_NONBLOCK, 0o600)
  try {
    return fstatSync(file).isFile() ? use(file) : null
  } finally {
    closeSync(file)
  }
}
