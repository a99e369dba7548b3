import type { Host } from './terminal/streams.ts'

/** By convention, an exit code is 128 plus the signal's number. */
const exitCodes = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const

export type Interrupt = keyof typeof exitCodes

export interface Interrupts {
  readonly signal: AbortSignal
  /** The exit code of the signal, or 0 if the reader has seen enough; undefined until one of them happens. */
  readonly exitCode: number | undefined
  /** Aborts the command as the first signal does; null means that the reader has seen enough. */
  abort(by: Interrupt | null, reason?: Error): void
  /** Passes each further signal to `receiver` instead of aborting; null ends this. */
  passTo(receiver: ((name: Interrupt) => void) | null): void
  /** From now on a signal aborts the command. Before, a signal ends the process even if reading a FIFO blocks it. */
  start(): void
  /** Restores the default handling of the signals. */
  stop(): void
}

/**
 * Watches for signals. Once started, the first signal aborts the command, so that it can clean up; the second ends the
 * process.
 */
export function watchInterrupts(host: Pick<Host, 'on' | 'off' | 'exit'>): Interrupts {
  const controller = new AbortController()
  let exitCode: number | undefined
  let pass: ((name: Interrupt) => void) | null = null
  const listener = (name: NodeJS.Signals): void => {
    const interrupt = name as Interrupt
    if (pass !== null) {
      pass(interrupt)
      return
    }
    if (exitCode !== undefined) host.exit(exitCodes[interrupt])
    abort(interrupt)
  }
  const abort: Interrupts['abort'] = (by, reason = new Error(`interrupted by ${by}`)) => {
    if (exitCode !== undefined) return
    exitCode = by === null ? 0 : exitCodes[by]
    controller.abort(reason)
  }
  const names = Object.keys(exitCodes) as Interrupt[]
  return {
    signal: controller.signal,
    abort,
    get exitCode() {
      return exitCode
    },
    passTo: (receiver) => {
      pass = receiver
    },
    start: () => {
      for (const name of names) host.on(name, listener)
    },
    stop: () => {
      for (const name of names) host.off(name, listener)
    },
  }
}
