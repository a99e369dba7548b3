import { errorCodes, RetrievalError } from '@retriever/core'

/**
 * The exit code of the command for an error, from the one table that core keeps. A status of HTTP is curl's 22, also where its meaning
 * has a code of its own, as 404; but a login that is wanted or refused is 67.
 */
export function exitCodeOf(error: unknown): number {
  if (RetrievalError.is(error) && httpMeanings.has(error.code) && Number(error.status) >= 400) {
    return errorCodes['http-error'].exit
  }
  // What is no RetrievalError is a defect of ours: curl's 2, "failed to initialise", as a wrong option.
  return RetrievalError.is(error) ? errorCodes[error.code].exit : errorCodes['invalid-option'].exit
}

const httpMeanings: ReadonlySet<string> = new Set(['not-found', 'access-denied'])

/** What was typed cannot be done. */
export function usageError(message: string): RetrievalError {
  return new RetrievalError('invalid-option', message, { phase: 'resolve' })
}
