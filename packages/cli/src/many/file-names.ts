import { lstatSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { Texts } from '@retriever/fetchers/internal'
import { tryFile, writeFailed } from '../saving/destination.ts'

/** The most numbers that --no-clobber tries, as many as curl. */
const maxNumbers = 100

/**
 * The names of the files of one command. If several URLs end alike, the first in the list gets NAME, the others NAME.1,
 * NAME.2 and so on. With --no-clobber, a file that exists takes up its name in the same way; without it, such a file is
 * ignored, so that the same list gives the same names each time.
 */
export class FileNames {
  readonly #taken = new Texts()
  /** The names in lower case, if somebody wants to know of twins. */
  readonly #folded = new Texts()
  #lastFolder = ''
  #hasParts = false
  /** Whether the file system takes `A` and `a` for one name. */
  ignoresCase = false
  /** Gets each path that differs from an earlier one only in case. */
  onTwin: ((path: string) => void) | null = null
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
    if (this.onTwin !== null && !this.#folded.add(path.toLowerCase()) && !this.ignoresCase) this.onTwin(path)
    return path
  }

  /** Takes a path, such as that of an earlier run. */
  take(path: string): void {
    this.#taken.add(this.#key(path))
    this.#hasParts ||= path.endsWith('.part')
    this.#takeFolders(dirname(path))
  }

  /**
   * Claims a place below a folder, as claim() does. A folder of the place gets another name if a file has its own, as
   * with the URLs `http://h/a` and `http://h/a/b`.
   */
  claimPlace(root: string, place: string, avoidsFiles: boolean): string {
    const segments = place.split('/')
    const name = segments.pop() ?? place
    let folder = root
    for (const segment of segments) {
      const wanted = join(folder, segment)
      folder = wanted
      for (let number = 1; this.#taken.has(this.#key(folder)); number++) folder = `${wanted}.${number}`
    }
    return this.claim(join(folder, name), avoidsFiles)
  }

  /** Takes the names of a folder and of those above it, so that no file gets them. */
  #takeFolders(folder: string): void {
    if (folder === this.#lastFolder) return
    this.#lastFolder = folder
    for (let at = folder; this.#taken.add(this.#key(`${at}/`)); at = dirname(at)) if (dirname(at) === at) return
  }

  #key(path: string): string {
    return this.ignoresCase ? path.toLowerCase() : path
  }

  /** Whether the path is taken. A file is first written as NAME.part, so that name counts as well. */
  #isTaken(path: string): boolean {
    const has = (name: string): boolean => this.#taken.has(this.#key(name))
    if (has(path) || has(`${path}/`)) return true
    if (path.endsWith('.part')) return has(path.slice(0, -'.part'.length))
    return this.#hasParts && has(`${path}.part`)
  }
}

function exists(path: string): boolean {
  return tryFile(path, () => lstatSync(path, { throwIfNoEntry: false })) !== undefined
}
