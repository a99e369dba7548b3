import { createInterface } from 'node:readline'
import { Writable } from 'node:stream'
import type { Output } from './output.ts'

/** One line from the person at the terminal; without `echo`, what is typed is not shown. "" where there is no answer. */
export function promptLine(text: string, echo: boolean, output: Output, signal: AbortSignal): Promise<string> {
  let shown = true
  const screen = new Writable({
    write(chunk: Buffer, _encoding, done) {
      if (shown) output.prompt(chunk)
      done()
    },
  })
  const lines = createInterface({ input: process.stdin, output: screen, terminal: true, historySize: 0 })
  const close = (): void => lines.close()
  signal.addEventListener('abort', close, { once: true })
  // The terminal is in raw mode, where Ctrl-C is a character; from here it takes the way of all interrupts.
  lines.once('SIGINT', () => process.kill(process.pid, 'SIGINT'))
  return new Promise((resolve) => {
    lines.question(text, (answer) => {
      resolve(answer)
      close()
    })
    shown = echo
    // Also Ctrl-D, and the end of the input.
    lines.once('close', () => {
      signal.removeEventListener('abort', close)
      if (!echo) output.prompt('\n')
      resolve('')
    })
  })
}
