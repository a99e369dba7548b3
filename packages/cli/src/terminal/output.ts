import { printable, redact } from '@retriever/core'
import { openStdout, type Sink, StdoutClosed } from './sink.ts'
import { type ColorChoice, colored, type Paint, plain, type Style, wantsColor } from './style.ts'
import { wrap } from './wrap.ts'

export { StdoutClosed }

/** All output of the program. Standard output gets only bodies and answers; standard error gets everything else. */
export class Output {
  readonly stdoutIsTerminal: boolean = process.stdout.isTTY === true
  readonly #signal: AbortSignal
  readonly #env: NodeJS.ProcessEnv
  #stdout: Sink | undefined
  #status = ''
  #hasFile = false
  #writeError = (text: string | Uint8Array): void => void process.stderr.write(text)
  #paint: Paint = plain
  #paintNote: Paint = plain

  constructor(signal: AbortSignal, env: NodeJS.ProcessEnv) {
    this.#signal = signal
    this.#env = env
    this.useColor('auto')
    // An error of standard error cannot be reported anywhere.
    process.stderr.on('error', () => {})
  }

  /** Whether a person sees the messages: no if they go to a file. */
  get stderrIsTerminal(): boolean {
    return process.stderr.isTTY === true && !this.#hasFile
  }

  /** Gives what goes to standard error to `write` instead. */
  redirectErrors(write: (text: string | Uint8Array) => void): void {
    this.#writeError = write
    this.#hasFile = true
  }

  useColor(choice: ColorChoice): void {
    const paintFor = (isTerminal: boolean): Paint => (wantsColor(choice, this.#env, isTerminal) ? colored : plain)
    this.#paint = paintFor(this.stdoutIsTerminal)
    this.#paintNote = paintFor(this.stderrIsTerminal)
  }

  /** The width of the terminal; one of unknown width reports 0. */
  get columns(): number {
    return process.stdout.columns || 100
  }

  /** A text for write() with a style, if standard output gets colours. The caller has made it harmless. */
  paint(style: Style, text: string): string {
    return this.#paint(style, text)
  }

  /** Writes octets unchanged, or text that the caller has made harmless. Waits until they are accepted. */
  write(content: Uint8Array | string): Promise<void> {
    this.#stdout ??= openStdout(this.#signal)
    return this.#stdout(typeof content === 'string' ? Buffer.from(content) : content)
  }

  /**
   * Writes one message for people to standard error, without control characters and secrets. On a terminal it is
   * wrapped between words. `style` is that of its head; absent: that of its mark.
   */
  note(message: string, style?: Style): void {
    const status = this.#status
    this.status('')
    const shown = printable(redact(message))
    const lines = this.stderrIsTerminal ? wrap(shown, this.stderrColumns, { indent: 2 }) : [shown]
    const [head = ''] = /^(?:retrieve:(?: warning:)?|[*<>]|saved)(?= |$)/.exec(lines[0] ?? '') ?? []
    const painted = head === '' ? '' : this.#paintNote(style ?? markStyles[head] ?? 'strong', head)
    this.#writeError(`${painted}${lines.join('\n').slice(head.length)}\n`)
    this.status(status)
  }

  /** Writes one JSON object for programs to standard error, without secrets. */
  noteJson(value: unknown): void {
    const hidden = JSON.parse(JSON.stringify(value), (_, part) => (typeof part === 'string' ? redact(part) : part))
    this.#writeError(jsonLine(hidden))
  }

  /** Shows a question to the person at the terminal, and the visible part of the answer. */
  prompt(text: string | Uint8Array): void {
    this.#writeError(text)
  }

  /** Shows a line at the bottom of the terminal, in place of the one before; "" removes it. Not on dumb terminals. */
  status(line: string): void {
    if (!this.stderrIsTerminal || this.#env.TERM === 'dumb' || line === this.#status) return
    // CR, then EL: erase to the end of the line (ECMA-48 8.3.41).
    this.#writeError(`\r${line}\x1b[K`)
    this.#status = line
  }

  get stderrColumns(): number {
    return process.stderr.columns || 80
  }
}

/** The styles of the marks that begin a message. */
const markStyles: Readonly<Record<string, Style>> = { '*': 'faint', '>': 'sent', '<': 'received', saved: 'good' }

/** Control characters: C0, DEL, C1, line separators, and the marks that reorder text. */
export const controls: RegExp = /[\0-\x1F\x7F-\x9F\u061C\u200E\u200F\u2028\u2029\u202A-\u202E\u2066-\u2069]/g

/** One JSON object on one line. DEL, C1 controls and bidi marks, which JSON.stringify leaves, are escaped too. */
export function jsonLine(value: unknown): string {
  const escapeUnit = (character: string): string => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  return `${JSON.stringify(value).replace(controls, escapeUnit)}\n`
}

const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB']

/** Formats a size in at most four figures: `999 B`, `1.5 KiB`, `12 MiB`. */
export function formatSize(octets: number): string {
  let value = octets
  let unit = 0
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1024
    unit++
  }
  return `${unit > 0 && value < 10 ? value.toFixed(1) : Math.round(value)} ${units[unit]}`
}
