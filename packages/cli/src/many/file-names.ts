import { lstatSync } from 'node:fs'
import { Keys, keyOf } from '../journal/keys.ts'
import { tryFile, writeFailed } from '../saving/destination.ts'

/** The most numbers that --no-clobber tries, as many as curl. */
const maxNumbers = 100

/**
 * The names of the files of one command. If several URLs end alike, the first in the list gets NAME, the others NAME.1,
 * NAME.2 and so on. With --no-clobber, a file that exists takes up its name in the same way; without it, such a file is
 * ignored, so that the same list gives the same names each time.
 */
export class FileNames {
  readonly #taken = new Keys()
  /** The last number that was given for a name. It saves a search, since a list may have thousands of index.html. */
  readonly #numbers = new Map<string, number>()

  /**
   * The path, or the first free one behind it. `avoidsFiles` means that --no-clobber is given. Throws `write-failed`.
   */
  claim(wanted: string, avoidsFiles: boolean): string {
    let number = this.#numbers.get(wanted) ?? 0
    let path = wanted
    for (let tries = 0; this.#isTaken(path) || (avoidsFiles && exists(path)); tries++) {
      if (tries === maxNumbers) {
        throw writeFailed(wanted, `it exists already, and so do ${wanted}.1 to ${wanted}.${number}`)
      }
      path = `${wanted}.${++number}`
    }
    if (number > 0) this.#numbers.set(wanted, number)
    this.take(path)
    return path
  }

  /** Takes a path, such as that of an earlier run. */
  take(path: string): void {
    this.#taken.add(keyOf(path))
  }

  /** Whether the path is taken. A file is first written as NAME.part, so that name counts as well. */
  #isTaken(path: string): boolean {
    const has = (name: string): boolean => this.#taken.has(keyOf(name))
    return has(path) || has(`${path}.part`) || (path.endsWith('.part') && has(path.slice(0, -'.part'.length)))
  }
}

function exists(path: string): boolean {
  return tryFile(path, () => lstatSync(path, { throwIfNoEntry: false })) !== undefined
}
