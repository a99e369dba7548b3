import { closeSync, openSync, writeSync } from 'node:fs'
import type { Output } from '../terminal/output.ts'
import { tryFile } from './destination.ts'

/** The text as it may be shown on a terminal. */
type Shown = (octets: Buffer) => string

/**
 * A place for text beside the bodies, such as that of -D, --trace and --stderr: a path, `-` for standard output or `%`
 * for standard error. A file is replaced when the first text comes, which may be empty.
 */
export class SideFile {
  readonly #name: string
  readonly #output: Output
  #file: number | null = null

  constructor(name: string, output: Output) {
    this.#name = name
    this.#output = output
  }

  /** Opens a file now, so that one that cannot be written is known beforehand. Throws `write-failed`. */
  open(): void {
    if (this.#name !== '-' && this.#name !== '%') this.#opened()
  }

  /**
   * Writes it all. `shown` makes it harmless where it goes to a terminal. Throws `write-failed` at once for a file, and
   * rejects if standard output cannot be written.
   */
  write(text: string | Uint8Array, shown?: Shown): Promise<void> {
    const { stdoutIsTerminal, stderrIsTerminal } = this.#output
    const harmless = (isTerminal: boolean): string | Uint8Array =>
      isTerminal && shown !== undefined ? shown(Buffer.from(text)) : text
    if (this.#name === '-') return this.#output.write(harmless(stdoutIsTerminal))
    if (this.#name === '%') {
      this.#output.writeError(harmless(stderrIsTerminal))
      return Promise.resolve()
    }
    const octets = Buffer.from(text)
    const file = this.#opened()
    tryFile(this.#name, () => {
      for (let at = 0; at < octets.length; ) at += writeSync(file, octets, at)
    })
    return Promise.resolve()
  }

  close(): void {
    if (this.#file !== null) closeSync(this.#file)
    this.#file = null
  }

  #opened(): number {
    this.#file ??= tryFile(this.#name, () => openSync(this.#name, 'w'))
    return this.#file
  }
}
