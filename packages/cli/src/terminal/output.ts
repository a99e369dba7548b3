import { printable, redact } from '@retriever/core'
import { replaceControls } from '@retriever/core/internal'
import { Turns } from '../turns.ts'
import { openStdout, type Sink, StdoutClosed, streamError } from './sink.ts'
import type { Streams } from './streams.ts'
import { type ColorChoice, colored, type Paint, plain, type Style, wantsColor } from './style.ts'
import { wrap } from './wrap.ts'

export { formatSize } from '@retriever/fetchers/internal'
export { StdoutClosed }

/** All output of the program. Standard output gets only bodies and answers; standard error gets everything else. */
export class Output {
  readonly streams: Streams
  readonly stdoutIsTerminal: boolean
  readonly #signal: AbortSignal
  readonly #env: NodeJS.ProcessEnv
  #stdout: Sink | undefined
  #diverted: Sink | null = null
  #status = ''
  #hasFile = false
  readonly #writeToStderr = (text: string | Uint8Array): void => void this.streams.stderr.write(text)
  #writeError = this.#writeToStderr
  /** The pending writing of text beside the bodies, and its first error. */
  #beside: Promise<unknown> = Promise.resolve()
  #lost: unknown = null
  #stderrError: unknown = null
  #paint: Paint = plain
  #paintNote: Paint = plain
  /** The width of the terminal when the status was last drawn. */
  #drawnColumns = 0
  /** The turns of those who ask questions. */
  readonly #questions = new Turns()
  /** The messages that wait until a question is answered; null if no question is open. */
  #held: (() => void)[] | null = null

  constructor(signal: AbortSignal, env: NodeJS.ProcessEnv, streams: Streams) {
    this.streams = streams
    this.stdoutIsTerminal = streams.stdout.isTTY === true
    this.#signal = signal
    this.#env = env
    this.useColor('auto')
    // Nothing but the exit status can report an error of standard error.
    streams.stderr.on('error', (error) => {
      this.#stderrError ??= error
    })
  }

  /** Whether a person sees the messages; false if they go to a file. */
  get stderrIsTerminal(): boolean {
    return this.streams.stderr.isTTY === true && !this.#hasFile
  }

  /** Sends to `write` what would go to standard error. */
  redirectErrors(write: (text: string | Uint8Array) => void): void {
    this.#writeError = write
    this.#hasFile = true
  }

  /** Notes the writing of text beside the bodies, for which no retrieval waits; end() waits for it. */
  writeBeside(writing: Promise<void>): void {
    const kept = writing.catch((error: unknown) => {
      this.#lost ??= error
    })
    this.#beside = Promise.all([this.#beside, kept])
  }

  /**
   * Rejects with `write-failed` if text beside the bodies was lost, or with `needsErrors` if text of standard error
   * was, unless only its reader has gone. Later messages go to standard error again.
   */
  async end(needsErrors: boolean): Promise<void> {
    await this.#beside
    this.#writeError = this.#writeToStderr
    if (this.#lost !== null) throw this.#lost
    // A stream tells of an error only after what follows from the write at once, which may be all that is left to do.
    if (needsErrors) await new Promise((resolve) => setImmediate(resolve))
    if (needsErrors && this.#stderrError !== null) throw streamError('Standard error', this.#stderrError)
  }

  useColor(choice: ColorChoice): void {
    const paintFor = (isTerminal: boolean): Paint => (wantsColor(choice, this.#env, isTerminal) ? colored : plain)
    this.#paint = paintFor(this.stdoutIsTerminal)
    this.#paintNote = paintFor(this.stderrIsTerminal)
  }

  /** The width of the terminal, also if standard output is a pipe to a pager. A terminal of unknown width reports 0. */
  get columns(): number {
    return this.streams.stdout.columns || this.streams.stderr.columns || 80
  }

  /** Styles a text for write(), if standard output gets colours. The caller has already made the text harmless. */
  paint(style: Style, text: string): string {
    return this.#paint(style, text)
  }

  /** Sends to `sink` what would go to standard output, until the result is disposed of. */
  divert(sink: Sink): Disposable {
    this.#diverted = sink
    return {
      [Symbol.dispose]: () => {
        this.#diverted = null
      },
    }
  }

  /** Writes octets unchanged, or text that the caller has made harmless. Resolves when they are accepted. */
  async write(content: Uint8Array | string): Promise<void> {
    if (this.#diverted !== null) return this.#diverted(typeof content === 'string' ? Buffer.from(content) : content)
    if (this.stdoutIsTerminal) while (this.#held !== null) await this.#answered()
    this.#stdout ??= openStdout(this.streams.stdout, this.#signal)
    return this.#stdout(typeof content === 'string' ? Buffer.from(content) : content)
  }

  /**
   * Writes one message for people to standard error, without control characters and secrets. On a terminal it is
   * wrapped between words. `style` is the style of its head; by default its mark decides.
   */
  note(message: string, style?: Style): void {
    if (this.#held !== null) return void this.#held.push(() => this.note(message, style))
    const status = this.#status
    this.status('')
    const shown = printable(redact(message))
    const [lead = ''] = /^(?:retrieve:(?: warning:)?|[*<>]|saved)(?: |$)/.exec(shown) ?? []
    const head = lead.trimEnd()
    const text = shown.slice(lead.length)
    const lines = this.stderrIsTerminal ? wrap(text, this.stderrColumns, { first: lead.length, indent: 2 }) : [text]
    const painted = this.#paintNote(style ?? markStyles[head] ?? 'strong', head)
    // Before a long word, the first line may have only the blank behind the head, which is removed.
    const shownLines = `${lead.slice(head.length)}${lines.join('\n')}`.replace(/^ +(?=\n)/, '').trimEnd()
    this.#writeError(`${painted}${shownLines}\n`)
    this.status(status)
  }

  /** Writes one JSON object for programs to standard error, without secrets. */
  noteJson(value: unknown): void {
    if (this.#held !== null) return void this.#held.push(() => this.noteJson(value))
    this.#writeError(jsonLine(withoutSecrets(value)))
  }

  /** Writes to standard error unchanged: questions, and what % and --json ask for. The caller has made it harmless. */
  writeError(text: string | Uint8Array): void {
    this.#writeError(text)
  }

  /**
   * Resolves when a person may be asked. Until the result is disposed of, nobody else is asked, and no message reaches
   * the terminal.
   */
  async question(): Promise<Disposable> {
    const turn = this.#questions.take()
    await turn.comes
    this.status('')
    this.#held = []
    return {
      [Symbol.dispose]: () => {
        const held = this.#held ?? []
        this.#held = null
        for (const each of held) each()
        turn.end()
      },
    }
  }

  #answered(): Promise<void> {
    return new Promise((resolve) => this.#held?.push(resolve))
  }

  /**
   * Shows lines at the bottom of the terminal instead of those before; "" removes them. Dumb terminals get none. The
   * cursor stays at the beginning of the first line, since terminals keep that place even when they wrap lines anew.
   */
  status(lines: string): void {
    if (!this.stderrIsTerminal || this.#env.TERM === 'dumb' || this.#held !== null) return
    const isResized = this.#drawnColumns !== 0 && this.#drawnColumns !== this.stderrColumns
    if (lines === this.#status && (lines === '' || !isResized)) return
    const further = lines.split('\n').length - 1
    const isPlain = further === 0 && !this.#status.includes('\n') && !isResized
    // EL and ED erase to the end of the line and of the screen; CUU moves up (ECMA-48 8.3.41, 8.3.39 and 8.3.22).
    const text = isPlain ? `${lines}\x1b[K` : `${lines.replaceAll('\n', '\x1b[K\n')}\x1b[J`
    const back = further === 0 ? '' : `\r\x1b[${further}A`
    this.#writeError(`\r${text}${back}`)
    this.#status = lines
    this.#drawnColumns = this.stderrColumns
  }

  get stderrColumns(): number {
    return this.streams.stderr.columns || 80
  }

  get stderrRows(): number {
    return this.streams.stderr.rows || 24
  }
}

/** The styles of the marks that begin a message. */
const markStyles: Readonly<Record<string, Style>> = { '*': 'faint', '>': 'sent', '<': 'received', saved: 'good' }

/** The value as plain data, with the secrets in its texts hidden. */
export function withoutSecrets(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (_, part) => (typeof part === 'string' ? redact(part) : part))
}

/** One JSON object on one line. It escapes characters that JSON.stringify does not: C1 controls and invisible ones. */
export function jsonLine(value: unknown): string {
  return `${replaceControls(JSON.stringify(value), inJson)}\n`
}

/** Escapes a character; one beyond U+FFFF becomes two escapes in JSON. */
function inJson(character: string): string {
  return character.replace(/[\s\S]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`)
}

/** Formats milliseconds: `12 ms`, `3.1 s`. */
export function formatTime(ms: number): string {
  return ms < 1000 ? `${Math.round(ms)} ms` : `${(ms / 1000).toFixed(1)} s`
}
