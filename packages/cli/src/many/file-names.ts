import { lstatSync } from 'node:fs'
import { tryFile, writeFailed } from '../saving/destination.ts'

/** The numbers that --no-clobber tries, as many as curl. */
const maxNumbers = 100

/**
 * The names of the files of one command. Two URLs may end alike: in the order of the list the first one gets the name
 * NAME, the others NAME.1, NAME.2 and so on. With --no-clobber, so does a file whose name is that of an existing file;
 * without it, such a file plays no part, so the same list gives the same names each time.
 */
export class FileNames {
  readonly #taken = new Set<string>()
  /** The last number that was given for a name: a list may have thousands of index.html. */
  readonly #numbers = new Map<string, number>()

  /** The path, or the first free one behind it. `avoidsFiles`: --no-clobber is given. Throws `write-failed`. */
  claim(wanted: string, avoidsFiles: boolean): string {
    let number = this.#numbers.get(wanted) ?? 0
    let path = wanted
    for (let tries = 0; this.#isTaken(path) || (avoidsFiles && exists(path)); tries++) {
      if (tries === maxNumbers) {
        throw writeFailed(wanted, `it exists already, and so do ${wanted}.1 to ${wanted}.${number}`)
      }
      path = `${wanted}.${++number}`
    }
    this.#numbers.set(wanted, number)
    this.#taken.add(path)
    return path
  }

  /** A file is first written under the name NAME.part. */
  #isTaken(path: string): boolean {
    return this.#taken.has(path) || this.#taken.has(`${path}.part`) || this.#taken.has(path.replace(/\.part$/, ''))
  }
}

function exists(path: string): boolean {
  return tryFile(path, () => lstatSync(path, { throwIfNoEntry: false })) !== undefined
}
