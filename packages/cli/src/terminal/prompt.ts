import { createInterface, type Interface } from 'node:readline'
import { Writable } from 'node:stream'
import { printable } from '@retriever/core'
import type { Output } from './output.ts'

/** Whether there is a person who can be asked. */
export function canAsk(output: Output): boolean {
  return process.stdin.isTTY === true && output.stderrIsTerminal
}

/** One line from the person at the terminal; without `echo`, what is typed is not shown. "" where there is no answer. */
export async function promptLine(text: string, echo: boolean, output: Output, signal: AbortSignal): Promise<string> {
  using prompter = new Prompter(output, signal)
  return (await prompter.ask(text, echo)) ?? ''
}

/** Asks the person at the terminal for lines, one after the other. What is pasted answers as many questions as it has lines. */
export class Prompter implements Disposable {
  readonly #output: Output
  readonly #signal: AbortSignal
  readonly #lines: Interface
  readonly #typed: string[] = []
  #answer: ((line: string | null) => void) | null = null
  /** Only while a question is open: what is pasted behind its answer may be a secret. */
  #shown = false
  #isOver = false

  constructor(output: Output, signal: AbortSignal) {
    this.#output = output
    this.#signal = signal
    output.status('')
    const screen = new Writable({
      write: (chunk: Buffer, _encoding, done) => {
        if (this.#shown) output.prompt(chunk)
        done()
      },
    })
    this.#lines = createInterface({ input: process.stdin, output: screen, terminal: true, historySize: 0 })
    this.#lines.on('line', (line) => this.#take(line))
    // Also Ctrl-D, and the end of the input.
    this.#lines.once('close', () => this.#end())
    // The terminal is in raw mode, where Ctrl-C is a character; from here it takes the way of all interrupts.
    this.#lines.on('SIGINT', () => process.kill(process.pid, 'SIGINT'))
    signal.addEventListener('abort', this.#close, { once: true })
  }

  /** The line; without `echo`, what is typed is not shown. Null where there is no answer, nor will be: Ctrl-D. */
  ask(text: string, echo: boolean = true): Promise<string | null> {
    return new Promise((resolve) => {
      this.#answer = (line) => {
        this.#answer = null
        // What was typed unseen has no line end, and neither has a line that is broken off.
        if (!echo || line === null) this.#output.prompt('\n')
        this.#shown = false
        resolve(line)
      }
      const typed = this.#typed.shift()
      if (this.#isOver || typed !== undefined) {
        this.#output.prompt(echo && typed !== undefined ? `${text}${printable(typed)}\n` : text)
        return this.#answer(typed ?? null)
      }
      this.#shown = echo
      if (!echo) return this.#output.prompt(text)
      this.#lines.setPrompt(text)
      this.#lines.prompt()
    })
  }

  [Symbol.dispose](): void {
    this.#signal.removeEventListener('abort', this.#close)
    this.#lines.close()
  }

  readonly #close = (): void => this.#lines.close()

  #take(line: string): void {
    if (this.#answer === null) this.#typed.push(line)
    else this.#answer(line)
  }

  #end(): void {
    this.#isOver = true
    this.#answer?.(null)
  }
}
