import { createInterface, type Interface } from 'node:readline'
import { Writable } from 'node:stream'
import { printable } from '@retriever/core'
import type { Output } from './output.ts'
import { wrap } from './wrap.ts'

/** Whether a person can be asked. */
export function canAsk(output: Output): boolean {
  return output.streams.stdin.isTTY === true && output.stderrIsTerminal
}

/** Asks for one line, and hides it without `echo`. Returns "" if there is no answer. */
export async function promptLine(text: string, echo: boolean, output: Output, signal: AbortSignal): Promise<string> {
  using prompter = await Prompter.open(output, signal)
  return (await prompter.ask(text, echo)) ?? ''
}

/** Asks the person at the terminal for lines, one after the other. Each pasted line answers one question. */
export class Prompter implements Disposable {
  readonly #output: Output
  readonly #signal: AbortSignal
  readonly #question: Disposable
  readonly #lines: Interface
  readonly #typed: string[] = []
  #answer: ((line: string | null) => void) | null = null
  /** True only while a question with echo is open, since text that was pasted behind its answer may be a secret. */
  #shown = false
  #text = ''
  #isOver = false

  /** Waits for its turn, until nobody else asks. */
  static async open(output: Output, signal: AbortSignal): Promise<Prompter> {
    return new Prompter(output, signal, await output.question())
  }

  private constructor(output: Output, signal: AbortSignal, question: Disposable) {
    this.#output = output
    this.#signal = signal
    this.#question = question
    const screen = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        if (this.#shown) output.writeError(chunk)
        done()
      },
    })
    this.#lines = createInterface({ input: output.streams.stdin, output: screen, terminal: true, historySize: 0 })
    this.#lines.on('line', (line) => this.#onLine(line))
    // Ctrl-D and the end of the input also close readline.
    this.#lines.once('close', () => this.#onClose())
    // In raw mode Ctrl-C is only a character, so this sends the signal.
    this.#lines.on('SIGINT', () => process.kill(process.pid, 'SIGINT'))
    // Ctrl-Z and fg leave readline paused.
    this.#lines.on('SIGCONT', () => this.#goOn())
    signal.addEventListener('abort', this.#close, { once: true })
    if (signal.aborted) this.#close()
  }

  /**
   * Asks for one line with a wrapped text, and hides it without `echo`. Null after Ctrl-D, which means that no more
   * answers come.
   */
  ask(question: string, echo: boolean = true): Promise<string | null> {
    return new Promise((resolve) => {
      const text = this.#beginQuestion(question)
      this.#answer = (line) => {
        this.#answer = null
        // The terminal shows no line end behind hidden text or a line that was broken off.
        if (!echo || line === null) this.#output.writeError('\n')
        this.#shown = false
        resolve(line)
      }
      const typed = this.#typed.shift()
      if (this.#isOver || typed !== undefined) {
        this.#output.writeError(echo && typed !== undefined ? `${text}${printable(typed)}\n` : text)
        return this.#answer(typed ?? null)
      }
      this.#shown = echo
      this.#text = text
      if (!echo) return this.#output.writeError(text)
      this.#lines.setPrompt(text)
      this.#lines.prompt()
    })
  }

  /** Writes all lines of a question but the last, which it returns: readline draws that one with the typed text. */
  #beginQuestion(question: string): string {
    // The blank behind the text also needs a column.
    const lines = wrap(question.trimEnd(), this.#output.stderrColumns - 1)
    const last = lines.pop() ?? ''
    if (lines.length > 0) this.#output.writeError(`${lines.join('\n')}\n`)
    return `${last} `
  }

  [Symbol.dispose](): void {
    this.#signal.removeEventListener('abort', this.#close)
    this.#lines.close()
    this.#question[Symbol.dispose]()
  }

  readonly #close = (): void => this.#lines.close()

  #goOn(): void {
    this.#lines.resume()
    // Readline itself draws a line that is shown.
    if (this.#answer !== null && !this.#shown) this.#output.writeError(this.#text)
  }

  #onLine(line: string): void {
    if (this.#answer === null) this.#typed.push(line)
    else this.#answer(line)
  }

  #onClose(): void {
    this.#isOver = true
    this.#answer?.(null)
  }
}
