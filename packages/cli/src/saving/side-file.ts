import { closeSync } from 'node:fs'
import { isatty } from 'node:tty'
import { type Output, StdoutClosed } from '../terminal/output.ts'
import { writeFailed } from './destination.ts'
import { openOwn, writeAll } from './own-file.ts'

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

  /** Writes it all. `shown` makes it harmless where it goes to a terminal. Rejects with `write-failed`. */
  async write(text: string | Uint8Array, shown?: Shown): Promise<void> {
    const { stdoutIsTerminal, stderrIsTerminal } = this.#output
    const harmless = (isTerminal: boolean): string | Uint8Array =>
      isTerminal && shown !== undefined ? shown(Buffer.from(text)) : text
    if (this.#name === '-') await this.#output.write(harmless(stdoutIsTerminal)).catch(readerGone)
    else if (this.#name === '%') this.#output.writeError(harmless(stderrIsTerminal))
    else {
      // /dev/tty and /dev/stderr may be a terminal, too.
      const file = this.#opened()
      writeAll(file, this.#name, Buffer.from(harmless(isatty(file))))
    }
  }

  /** Writes it while other work goes on; an error ends the command, as Output.end() tells it. */
  add(text: string | Uint8Array, shown?: Shown): void {
    this.#output.writeBeside(this.write(text, shown))
  }

  close(): void {
    if (this.#file !== null) closeSync(this.#file)
    this.#file = null
  }

  #opened(): number {
    this.#file ??= openOwn(this.#name)
    return this.#file
  }
}

/** A body without a reader is no failure. Text beside it is: the body may go elsewhere, and come whole. */
function readerGone(error: unknown): never {
  throw error instanceof StdoutClosed ? writeFailed('Standard output', 'its reader has gone') : error
}
