import { closeSync } from 'node:fs'
import { isatty } from 'node:tty'
import { type Output, StdoutClosed } from '../terminal/output.ts'
import { writeFailed } from './destination.ts'
import { openOwn, writeAll } from './own-file.ts'

/** Makes text harmless for a terminal. */
type Shown = (octets: Buffer) => string

/**
 * A place for text beside the bodies, such as that of -D, --trace and --stderr: a path, `-` for standard output or `%`
 * for standard error. The first text, which may be empty, replaces an existing file.
 */
export class SideFile {
  readonly #name: string
  readonly #output: Output
  #file: number | null = null

  constructor(name: string, output: Output) {
    this.#name = name
    this.#output = output
  }

  /** Opens a file now, so that the command learns early if it cannot be written. Throws `write-failed`. */
  open(): void {
    if (this.#name !== '-' && this.#name !== '%') this.#opened()
  }

  /** Writes the text. If it goes to a terminal, `shown` makes it harmless. Rejects with `write-failed`. */
  async write(text: string | Uint8Array, shown?: Shown): Promise<void> {
    const { stdoutIsTerminal, stderrIsTerminal } = this.#output
    const harmless = (isTerminal: boolean): string | Uint8Array =>
      isTerminal && shown !== undefined ? shown(Buffer.from(text)) : text
    if (this.#name === '-') await this.#output.write(harmless(stdoutIsTerminal)).catch(readerGone)
    else if (this.#name === '%') this.#output.writeError(harmless(stderrIsTerminal))
    else {
      // /dev/tty and /dev/stderr may be terminals as well.
      const file = this.#opened()
      writeAll(file, this.#name, Buffer.from(harmless(isatty(file))))
    }
  }

  /** Writes the text while other work goes on. An error ends the command, and Output.end() reports it. */
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

/**
 * For a body it is no failure if the reader is gone. For text beside a body it is one, since the body may go elsewhere.
 */
function readerGone(error: unknown): never {
  throw error instanceof StdoutClosed ? writeFailed('Standard output', 'its reader has gone') : error
}
