import { spawn } from 'node:child_process'
import { constants } from 'node:os'
import { usageError } from '../exit-codes.ts'
import type { Program } from '../options/servers.ts'
import type { Run } from '../run.ts'

/**
 * Runs a program with our input and output, passes it our signals, and resolves to its exit status when it has ended:
 * 128 and the number for a signal, 127 if there is no such program, 126 if it cannot be run, as in a shell.
 */
export async function runProgram({ name, args, env }: Program, { signal, interrupts, report }: Run): Promise<number> {
  signal.throwIfAborted()
  const child = spawn(name, args, { stdio: 'inherit', env })
  // The terminal sends Ctrl-C to the program, too: passed on, it would come twice, and a second one means "at once".
  const isOnTerminal = process.stdin.isTTY || process.stdout.isTTY || process.stderr.isTTY
  interrupts.passTo((interrupt) => {
    if (interrupt !== 'SIGINT' || !isOnTerminal) child.kill(interrupt)
  })
  return await new Promise((resolve) => {
    child.once('error', (error: NodeJS.ErrnoException) => {
      const isMissing = error.code === 'ENOENT'
      const reason = isMissing ? 'there is no such program' : `it cannot be run (${error.code})`
      report.error(usageError(`The command ${JSON.stringify(name)} was not started: ${reason}.`))
      resolve(isMissing ? 127 : 126)
    })
    child.once('exit', (code, killer) => resolve(code ?? 128 + constants.signals[killer ?? 'SIGKILL']))
  })
}
