import { closeSync, openSync, writeSync } from 'node:fs'
import { printable, RetrievalError, redact } from '@retriever/core'
import { checkTarget, tryFile } from '../saving/destination.ts'
import { ownPath } from '../saving/own-file.ts'
import { publish, temporaryFor } from '../saving/replace-file.ts'

/**
 * The file of --failed: a list of URLs for --from, each below a comment that says why it failed. It replaces an older
 * one when the command ends, so that a command may read it with --from and write it anew.
 */
export class FailedList {
  readonly #path: string
  readonly #temporary: string
  readonly #file: number

  /** Throws `write-failed`. */
  constructor(path: string) {
    checkTarget(path, true, false)
    this.#path = ownPath(path)
    this.#temporary = temporaryFor(this.#path)
    // URLs may hold passwords, and without them they would be of no use: the file is for its owner.
    this.#file = tryFile(path, () => openSync(this.#temporary, 'wx', 0o600))
  }

  /** `name`: the name of its file, if that does not follow from the URL. */
  add(url: string, name: string | null, error: unknown): void {
    const why = RetrievalError.is(error) ? `${error.code}: ${error.message}` : String(error)
    const line = (text: string): string => text.replace(/[\t\r\n]+/g, ' ')
    this.comment(line(why))
    this.#write(`${line(url)}${name === null ? '' : `\t${name}`}\n`)
  }

  comment(text: string): void {
    this.#write(`# ${printable(redact(text))}\n`)
  }

  /** Gives the file its name. Throws `write-failed`. */
  end(): void {
    closeSync(this.#file)
    publish(this.#temporary, this.#path)
  }

  #write(text: string): void {
    tryFile(this.#path, () => writeSync(this.#file, text))
  }
}
