import { errorCodes, RetrievalError } from '@retriever/core'

/** The exit code of the command for an error, from the one table that core keeps. */
export function exitCodeOf(error: unknown): number {
  // What is no RetrievalError is a defect of ours: curl's 2, "failed to initialise", as a wrong option.
  return RetrievalError.is(error) ? errorCodes[error.code].exit : errorCodes['invalid-option'].exit
}

/** What was typed cannot be done. */
export function usageError(message: string): RetrievalError {
  return new RetrievalError('invalid-option', message, { phase: 'resolve' })
}
