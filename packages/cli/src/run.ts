import type { RetrieveOptions } from '@retriever/fetchers'
import type { Config } from './config.ts'
import { usageError } from './exit-codes.ts'
import type { Interrupts } from './interrupts.ts'
import { type Output, StdoutClosed } from './terminal/output.ts'
import type { Reporter } from './terminal/report.ts'

/** The configuration of a command, and the objects that it works with. */
export interface Run {
  readonly config: Config
  readonly output: Output
  readonly report: Reporter
  /** Aborts on Ctrl-C, SIGTERM and SIGHUP. */
  readonly signal: AbortSignal
  readonly interrupts: Interrupts
}

type Picked = 'accept' | 'acceptLanguage' | 'charset' | 'compressed' | 'digest' | 'headers' | 'limit' | 'virtualHost'

/** Those of the named options of a request that the command line gives. */
export function pickRequest({ request }: Config, ...names: readonly Picked[]): Pick<RetrieveOptions, Picked> {
  return Object.fromEntries(Object.entries(request).filter(([name]) => names.some((each) => each === name)))
}

/**
 * Calls `action` for each URL in turn; a failure is reported and does not stop the rest. Returns the exit code of the
 * first failure.
 */
export async function eachUrl(run: Run, action: (operand: string) => Promise<void>): Promise<number> {
  const { targets, command } = run.config
  if (targets.count === 0) throw usageError(`No URL is given. Try: retrieve ${command} --help`)
  let exit = 0
  for (const { operand } of targets) {
    try {
      await action(operand)
    } catch (error) {
      if (run.signal.aborted || error instanceof StdoutClosed) throw error
      const code = run.report.error(error)
      exit ||= code
    }
  }
  return exit
}
