import { type ChildProcess, spawn } from 'node:child_process'
import { usageError } from '../exit-codes.ts'
import type { Run } from '../run.ts'
import { type Sink, StdoutClosed, writeToStream } from './sink.ts'
import { widthOf } from './wrap.ts'

/** The program that shows long pages, as a command for the user's shell. */
export interface PagerProgram {
  readonly command: string
  readonly env: NodeJS.ProcessEnv
}

/**
 * Runs `show`. If it writes more lines than the terminal has, a pager shows them. If the person leaves the pager before
 * the end, the command is aborted and its exit status is 0.
 */
export async function paged<T>({ config, output, interrupts, signal }: Run, show: () => Promise<T>): Promise<T> {
  const { stdout } = output.streams
  // With -v no pager runs, since the messages would wait in memory until it ends.
  const isOff = !output.stdoutIsTerminal || stdout.fd === undefined || config.verbose
  const program = isOff ? null : config.pager()
  if (program === null) return show()
  const rows = stdout.rows || 24
  const held: Uint8Array[] = []
  let count = 0
  let pager: RunningPager | null = null
  const write: Sink = async (octets) => {
    if (pager !== null) return pager.write(octets)
    // The octets are copied, since the writer may reuse its buffer.
    held.push(Buffer.from(octets))
    count += rowsOf(Buffer.from(octets).toString(), output.columns)
    if (count < rows) return
    // Taking a question's turn makes messages wait until the pager has ended.
    const terminal = await output.question()
    pager = new RunningPager(program, interrupts, signal, terminal)
    for (const each of held.splice(0)) await pager.write(each)
  }
  const direct = output.divert(write)
  try {
    return await show()
  } finally {
    direct[Symbol.dispose]()
    // The type must be widened: the compiler does not see the assignment in write(), and takes the value for null.
    await (pager as RunningPager | null)?.end()
    for (const each of held) await output.write(each)
  }
}

/** How many lines of a screen a text takes. */
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

  /** `terminal` is disposed of when the pager ends. */
  constructor(
    { command, env }: PagerProgram,
    interrupts: Run['interrupts'],
    signal: AbortSignal,
    terminal: Disposable,
  ) {
    // POSIX defines $PAGER as a command for the shell. The user chose it; what peers send reaches only its standard
    // input.
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
    // The terminal also sends Ctrl-C to the pager, which ignores it; here it ends the retrieval.
    interrupts.passTo((name) => {
      if (name !== 'SIGINT') child.kill(name)
      if (name !== 'SIGINT' || !this.#isWhole) interrupts.abort(name)
    })
  }

  /** Resolves when the person has left the pager. Rejects with `invalid-option` if the pager could not run. */
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

/** The exit statuses of a shell that cannot find or run a command. */
const notFound = 127
const notRun = 126

function failed(status: number | null): boolean {
  return status === notFound || status === notRun
}
