import type { Config } from './config.ts'
import { usageError } from './exit-codes.ts'
import type { Target } from './saving/destination.ts'
import { type Output, StdoutClosed } from './terminal/output.ts'
import type { Reporter } from './terminal/report.ts'

/** The configuration of a command, and the objects that it works with. */
export interface Run {
  readonly config: Config
  readonly output: Output
  readonly report: Reporter
  /** Aborts on Ctrl-C, SIGTERM and SIGHUP. */
  readonly signal: AbortSignal
}

/**
 * Calls `action` for each URL in turn; a failure is reported and does not stop the rest. Returns the exit code of the
 * first failure. `afterFailure` runs after each report, and before an interrupt ends the command.
 */
export async function eachUrl(
  run: Run,
  action: (target: Target, index: number) => Promise<void>,
  afterFailure: (operand: string, index: number) => Promise<void> = async () => {},
): Promise<number> {
  const { operands, targets, command } = run.config
  if (operands.length === 0) throw usageError(`No URL is given. Try: retrieve ${command} --help`)
  let exit = 0
  let index = -1
  for (const target of targets) {
    index++
    const { operand } = target
    try {
      await action(target, index)
    } catch (error) {
      const isEnd = run.signal.aborted || error instanceof StdoutClosed
      const code = isEnd ? 0 : run.report.error(error)
      await afterFailure(operand, index)
      if (isEnd) throw error
      exit ||= code
    }
  }
  return exit
}
