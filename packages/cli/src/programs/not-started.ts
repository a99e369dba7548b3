import { usageError } from '../exit-codes.ts'

/** The error for a command of the caller that the system did not start. */
export function notStarted(program: string | undefined, code: string | undefined): ReturnType<typeof usageError> {
  const reason = code === 'ENOENT' ? 'there is no such program' : `it cannot be run (${code})`
  return usageError(`The command ${JSON.stringify(program)} was not started: ${reason}.`)
}
