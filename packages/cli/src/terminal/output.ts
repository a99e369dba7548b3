import { printable, redact } from '@retriever/core'
import { openStdout, type Sink, StdoutClosed } from './sink.ts'

export { StdoutClosed }

/** The one place that prints. Standard output has bodies and answers alone; standard error has everything else. */
export class Output {
  readonly stdoutIsTerminal: boolean = process.stdout.isTTY === true
  readonly stderrIsTerminal: boolean = process.stderr.isTTY === true
  readonly #signal: AbortSignal
  readonly #dumb: boolean
  #stdout: Sink | undefined
  #status = ''

  constructor(signal: AbortSignal, env: NodeJS.ProcessEnv) {
    this.#signal = signal
    this.#dumb = env.TERM === 'dumb'
    // Nobody is left to be told.
    process.stderr.on('error', () => {})
  }

  /** A terminal that does not know its width says 0. */
  get columns(): number {
    return process.stdout.columns || 100
  }

  /** Octets as they are, or text that the caller has made harmless. Waits until they are taken. */
  write(content: Uint8Array | string): Promise<void> {
    this.#stdout ??= openStdout(this.#signal)
    return this.#stdout(typeof content === 'string' ? Buffer.from(content) : content)
  }

  /** One line for people on standard error; whatever is in it, it stays one line, drives no terminal and tells no password. */
  note(line: string): void {
    const status = this.#status
    this.status('')
    process.stderr.write(`${printable(redact(line))}\n`)
    this.status(status)
  }

  /** One object for programs on standard error. */
  noteJson(value: unknown): void {
    const hidden = JSON.parse(JSON.stringify(value), (_, part) => (typeof part === 'string' ? redact(part) : part))
    process.stderr.write(jsonLine(hidden))
  }

  /** A question to the person at the terminal, and what is shown of the answer. */
  prompt(text: string | Uint8Array): void {
    process.stderr.write(text)
  }

  /** A line at the bottom of the terminal that later ones replace; "" takes it away. Not on one that is too dumb for it. */
  status(line: string): void {
    if (!this.stderrIsTerminal || this.#dumb || line === this.#status) return
    // CR, then EL: erase to the end of the line (ECMA-48 8.3.41).
    process.stderr.write(`\r${line}\x1b[K`)
    this.#status = line
  }

  get stderrColumns(): number {
    return process.stderr.columns || 80
  }
}

/** C0, DEL, C1, line separators, and the marks that reorder text. */
export const controls: RegExp = /[\0-\x1F\x7F-\x9F\u061C\u200E\u200F\u2028\u2029\u202A-\u202E\u2066-\u2069]/g

/** One JSON object on one line. What JSON.stringify leaves but a terminal obeys is escaped too: DEL, C1, bidi marks. */
export function jsonLine(value: unknown): string {
  const escapeUnit = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  return `${JSON.stringify(value).replace(controls, escapeUnit)}\n`
}
