import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { isatty } from 'node:tty'
import type { Run } from '../run.ts'

/** A program to run without a shell, so that each argument reaches it unchanged. */
export interface Program {
  readonly name: string
  readonly args: readonly string[]
  readonly env: NodeJS.ProcessEnv
  /** Whether its complaints are hidden. */
  readonly isQuiet?: boolean
}

/**
 * Runs a program with our input and output, and passes our signals to it. Resolves to its exit status when it has
 * ended: for a signal, 128 and the number. Rejects with the system's error if the program cannot be started.
 */
export async function runProgram(
  { name, args, env, isQuiet = false }: Program,
  { signal, interrupts }: Run,
): Promise<number> {
  signal.throwIfAborted()
  const child = spawn(name, args, { stdio: ['inherit', 'inherit', isQuiet ? 'ignore' : 'inherit'], env })
  // The terminal also sends Ctrl-C to the program. If we passed it on, it would come twice, and a second one means "at
  // once". Node's streams are not asked: process.stdin would make the input non-blocking, for the program, too.
  const isOnTerminal = [0, 1, 2].some((descriptor) => isatty(descriptor))
  interrupts.passTo((interrupt) => {
    if (interrupt !== 'SIGINT' || !isOnTerminal) child.kill(interrupt)
  })
  try {
    return await new Promise((resolve, reject) => {
      child.once('error', reject)
      child.once('exit', (code, killer) => resolve(code ?? 128 + constants.signals[killer ?? 'SIGKILL']))
    })
  } finally {
    interrupts.passTo(null)
  }
}
