import { closeSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { printable, RetrievalError, redact } from '@retriever/core'
import { checkTarget, tryFile } from '../saving/destination.ts'
import { ownPath } from '../saving/own-file.ts'
import { publish, temporaryFor } from '../saving/replace-file.ts'
import { errorRecord } from '../terminal/report.ts'

/**
 * The file of --failed: a list of URLs for --from, each below a comment that says why it failed. It replaces an older
 * file when the command ends, so that a command can read it with --from and write a new one.
 */
export class FailedList {
  readonly #path: string
  readonly #temporary: string
  readonly #file: number
  /** Whether the file could not be written and is gone; an older one stays. */
  #isLost = false

  /** Creates the file. Throws `write-failed`. */
  constructor(path: string) {
    checkTarget(path, true, false)
    this.#path = ownPath(path)
    this.#temporary = temporaryFor(this.#path)
    // Only the owner may read the file, since its URLs must keep their passwords to be usable.
    this.#file = tryFile(path, () => openSync(this.#temporary, 'wx', 0o600))
  }

  /** Adds a URL. `name` is the name of its file, if that does not follow from the URL. */
  add(url: string, name: string | null, error: unknown): void {
    const { code, message } = errorRecord(error)
    const why = RetrievalError.is(error) ? `${code}: ${message}` : message
    const line = (text: string): string => text.replace(/[\t\r\n]+/g, ' ')
    this.comment(line(why))
    this.#write(`${line(url)}${name === null ? '' : `\t${name}`}\n`)
  }

  comment(text: string): void {
    this.#write(`# ${printable(redact(text))}\n`)
  }

  /** Renames the finished file. Throws `write-failed`. */
  end(): void {
    closeSync(this.#file)
    if (!this.#isLost) publish(this.#temporary, this.#path)
  }

  /** Writes all of a text, or leaves no file, as on a full disk: half a URL would be another URL. */
  #write(text: string): void {
    if (this.#isLost) return
    try {
      tryFile(this.#path, () => writeFileSync(this.#file, text))
    } catch (error) {
      this.#isLost = true
      rmSync(this.#temporary, { force: true })
      throw error
    }
  }
}
