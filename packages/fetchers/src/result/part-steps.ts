import { constants } from 'node:fs'

const { O_WRONLY, O_APPEND, O_CREAT, O_EXCL, O_NOFOLLOW } = constants

/**
 * How `NAME.part` is opened: the system's EEXIST if the name is taken, even by a planted link (security.md case 31).
 * O_APPEND makes writing go on at the end after the file is truncated.
 */
export const partFlags: number = O_WRONLY | O_APPEND | O_CREAT | O_EXCL | O_NOFOLLOW

/**
 * The mode of a new part, which replaces a file of this mode, or none. An incomplete file must not be readable by users
 * who may not read the file that it replaces.
 */
export function partMode(replaced: number | null): number {
  return replaced === null ? 0o666 : replaced | 0o600
}

export const exists = 'it exists already; remove it, or choose another name'
export const takenOver = 'another retrieval has taken it over'
