import type { RetrieveOptions } from '@retriever/fetchers'
import type { Archive } from './archive/archive.ts'
import type { Config } from './config.ts'
import type { SharedJar } from './cookies/index.ts'
import type { Interrupts } from './interrupts.ts'
import type { Optimisation } from './start/optimisation.ts'
import type { Output } from './terminal/output.ts'
import type { Reporter } from './terminal/report.ts'
import type { TraceFile } from './tracing/trace-file.ts'
import type { KnownServers } from './write-out/facts.ts'

/** The configuration of a command, and the objects that the command works with. */
export interface Run {
  readonly config: Config
  readonly output: Output
  readonly report: Reporter
  /** Aborts on Ctrl-C, SIGTERM and SIGHUP. */
  readonly signal: AbortSignal
  readonly interrupts: Interrupts
  /** The servers of all retrievals so far, in all groups: later retrievals may reuse their connections. */
  readonly servers: KnownServers
  /** The cookies of all groups that keep any. */
  readonly jar: SharedJar
  /** The trace of all groups; null if none is wanted. */
  readonly traceFile: TraceFile | null
  /** The web archive of all groups; null if none is wanted. */
  readonly archive: Archive | null
  /** Null if the command does not run in a process of its own. */
  readonly optimisation: Optimisation | null
}

type Picked = 'accept' | 'acceptLanguage' | 'charset' | 'digest' | 'headers' | 'limit'

/** The named options, as far as the command line gives them. */
export function pickRequest({ request }: Config, ...names: readonly Picked[]): Pick<RetrieveOptions, Picked> {
  return Object.fromEntries(Object.entries(request).filter(([name]) => names.some((each) => each === name)))
}
