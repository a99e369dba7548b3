/** Exit codes by convention: 128 plus the signal's number. */
const exitCodes = { SIGHUP: 129, SIGINT: 130, SIGTERM: 143 } as const

type Interrupt = keyof typeof exitCodes

export interface Interrupts {
  readonly signal: AbortSignal
  /** The exit code of the signal; undefined until one comes. */
  readonly exitCode: number | undefined
  /** Restores the default handling of the signals. */
  stop(): void
}

/** The first signal aborts the command, so that it can clean up; a second one ends the process at once. */
export function watchInterrupts(): Interrupts {
  const controller = new AbortController()
  let exitCode: number | undefined
  const listener = (name: NodeJS.Signals): void => {
    const code = exitCodes[name as Interrupt]
    if (exitCode !== undefined) process.exit(code)
    exitCode = code
    controller.abort(new Error(`interrupted by ${name}`))
  }
  const names = Object.keys(exitCodes) as Interrupt[]
  for (const name of names) process.on(name, listener)
  return {
    signal: controller.signal,
    get exitCode() {
      return exitCode
    },
    stop: () => {
      for (const name of names) process.off(name, listener)
    },
  }
}
