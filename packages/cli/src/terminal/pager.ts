import { type ChildProcess, spawn } from 'node:child_process'
import { usageError } from '../exit-codes.ts'
import type { Run } from '../run.ts'
import { type Sink, StdoutClosed, writeToStream } from './sink.ts'
import { widthOf } from './wrap.ts'

/** The program that shows long pages, as the user's shell reads it. */
export interface PagerProgram {
  readonly command: string
  readonly env: NodeJS.ProcessEnv
}

/**
 * Runs `show`. On a terminal that has fewer lines than it writes, a pager shows them; if the person leaves it before
 * the end, the command is aborted, and ends with 0.
 */
export async function paged<T>({ config, output, interrupts, signal }: Run, show: () => Promise<T>): Promise<T> {
  const { stdout } = output.streams
  // With -v, the messages would wait in memory until the pager ends.
  const isOff = !output.stdoutIsTerminal || stdout.fd === undefined || config.verbose
  const program = isOff ? null : config.pager()
  if (program === null) return show()
  const rows = stdout.rows || 24
  const held: Uint8Array[] = []
  let count = 0
  let pager: RunningPager | null = null
  const write: Sink = async (octets) => {
    if (pager !== null) return pager.write(octets)
    // The writer may use its buffer again.
    held.push(Buffer.from(octets))
    count += rowsOf(Buffer.from(octets).toString(), output.columns)
    if (count < rows) return
    // Messages wait until the terminal is free again.
    const terminal = await output.question()
    pager = new RunningPager(program, interrupts, signal, terminal)
    for (const each of held.splice(0)) await pager.write(each)
  }
  const direct = output.divert(write)
  try {
    return await show()
  } finally {
    direct[Symbol.dispose]()
    // The type narrows to null, as the compiler does not see the assignment in write().
    await (pager as RunningPager | null)?.end()
    for (const each of held) await output.write(each)
  }
}

/** The lines that a text takes on a screen. */
function rowsOf(text: string, columns: number): number {
  const lines = text.replace(/\x1b\[[\d;]*m/g, '').split('\n')
  return lines.reduce((sum, line) => sum + Math.ceil(widthOf(line) / columns || 1), -1)
}

class RunningPager {
  readonly write: Sink
  readonly #child: ChildProcess
  readonly #command: string
  readonly #interrupts: Run['interrupts']
  readonly #terminal: Disposable
  readonly #status: Promise<number | null>
  #isWhole = false

  /** `terminal` is disposed of at the end. */
  constructor(
    { command, env }: PagerProgram,
    interrupts: Run['interrupts'],
    signal: AbortSignal,
    terminal: Disposable,
  ) {
    // POSIX has $PAGER as a command of the shell. It is the user's; what peers send reaches its standard input alone.
    const child = spawn(command, { shell: true, stdio: ['pipe', 'inherit', 'inherit'], env })
    this.#child = child
    this.#interrupts = interrupts
    this.#terminal = terminal
    this.#status = new Promise((resolve) => {
      child.once('error', () => resolve(notFound)).once('exit', resolve)
    })
    void this.#status.then((status) => {
      if (!this.#isWhole && !failed(status)) interrupts.abort(null, new StdoutClosed())
    })
    this.#command = command
    this.write = writeToStream(child.stdin as NonNullable<typeof child.stdin>, signal)
    // The terminal sends Ctrl-C to the pager, too, which goes on: here it ends the retrieval.
    interrupts.passTo((name) => {
      if (name !== 'SIGINT') child.kill(name)
      if (name !== 'SIGINT' || !this.#isWhole) interrupts.abort(name)
    })
  }

  /** Resolves when the person has left the pager. Rejects with `invalid-option` if it could not be run. */
  async end(): Promise<void> {
    this.#isWhole = true
    this.#child.stdin?.end()
    const status = await this.#status
    this.#interrupts.passTo(null)
    this.#terminal[Symbol.dispose]()
    if (failed(status)) {
      throw usageError(`The pager ${JSON.stringify(this.#command)} cannot be run: set PAGER, or give --no-pager.`)
    }
  }
}

/** The exit statuses of a shell for a command that it does not find, or cannot run. */
const notFound = 127
const notRun = 126

function failed(status: number | null): boolean {
  return status === notFound || status === notRun
}
