import { join } from 'node:path'

/**
 * The names of the files of one command. Two URLs may end alike: in the order of the list the first one gets the name,
 * the others `name-2.ext`, `name-3.ext`. A file that is there already plays no part, so the same list gives the same
 * names each time.
 */
export class FileNames {
  readonly #taken = new Set<string>()
  /** The last number that was given for a name: a list may have thousands of index.html. */
  readonly #numbers = new Map<string, number>()

  /** The path for a name in a folder. */
  claim(folder: string, name: string): string {
    let path = join(folder, name)
    if (this.#isTaken(path)) {
      const [, stem = name, extension = ''] = /^(.+?)((?:\.tar)?\.[^.]{1,20})?$/.exec(name) ?? []
      let number = this.#numbers.get(path) ?? 1
      const first = path
      do path = join(folder, `${stem}-${++number}${extension}`)
      while (this.#isTaken(path))
      this.#numbers.set(first, number)
    }
    this.#taken.add(path)
    return path
  }

  /** A file is first written under the name NAME.part. */
  #isTaken(path: string): boolean {
    return this.#taken.has(path) || this.#taken.has(`${path}.part`) || this.#taken.has(path.replace(/\.part$/, ''))
  }
}
