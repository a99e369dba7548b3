import type { Output } from '../terminal/output.ts'

const minute = 60_000

/**
 * Writes a line to standard error once a minute, until the result is disposed of: for a command whose standard error is
 * no terminal, and so has no progress. A command of less than a minute writes none.
 */
export function tellEachMinute(line: () => string, output: Output): Disposable {
  const timer = setInterval(() => output.note(`retrieve: ${line()}`), minute)
  timer.unref()
  return { [Symbol.dispose]: () => clearInterval(timer) }
}
