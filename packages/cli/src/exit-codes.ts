import { type Advice, type ErrorCode, errorCodes, RetrievalError } from '@retriever/core'
import type { AdvisedOption } from '@retriever/core/internal'

/**
 * The exit code for an error, from the table in core. An HTTP status of 400 and above gives curl's 22, even if its
 * error has a code of its own, as for 404. 401 and 407, which mean that a login is missing or wrong, give 67.
 */
export function exitCodeOf(error: unknown): number {
  const byOption = RetrievalError.is(error) ? exitOfOption(error) : undefined
  if (byOption !== undefined) return byOption
  if (RetrievalError.is(error) && httpMeanings.has(error.code) && Number(error.status) >= 400) {
    return errorCodes['http-error'].exit
  }
  // Any other error is a defect of the command: it gives curl's 2, "failed to initialise", as a wrong option does.
  return RetrievalError.is(error) ? errorCodes[error.code].exit : errorCodes['invalid-option'].exit
}

/**
 * The exit codes that curl has for errors which only an option of the caller causes: a scheme that the option excludes,
 * a local address that cannot be used, ciphers that do not exist, a key that is not the pinned one.
 */
export const exitsByOption: Readonly<Partial<Record<AdvisedOption, Readonly<Partial<Record<ErrorCode, number>>>>>> = {
  'policy.schemes': { refused: 1 },
  'policy.redirectSchemes': { refused: 1 },
  'network.interface': { 'connect-failed': 45 },
  'network.localAddress': { 'connect-failed': 45 },
  'network.localPort': { 'connect-failed': 45 },
  'tls.ciphers': { 'invalid-option': 59 },
  'tls.cipherSuites': { 'invalid-option': 59 },
  'tls.curves': { 'invalid-option': 59 },
  'tls.pins': { certificate: 90, 'file-failed': 90 },
  'tls.crl': { 'file-failed': 82, 'invalid-option': 82 },
  'tls.proxy.ciphers': { 'invalid-option': 59 },
  'tls.proxy.cipherSuites': { 'invalid-option': 59 },
  'tls.proxy.pins': { certificate: 90, 'file-failed': 90 },
  'tls.proxy.crl': { 'file-failed': 82, 'invalid-option': 82 },
}

function exitOfOption({ code, advice }: Reason): number | undefined {
  return advice === undefined ? undefined : exitsByOption[advice.option]?.[code as ErrorCode]
}

interface Reason {
  readonly code: string
  readonly advice?: Advice | undefined
}

/** The exit code for an error in an explanation: that of the error itself. */
export function exitCodeOfReason(reason: Reason): number {
  return exitOfOption(reason) ?? errorCodes[reason.code as ErrorCode].exit
}

const httpMeanings: ReadonlySet<string> = new Set(['not-found', 'access-denied'])

/** The error for a command line that makes no sense. */
export function usageError(message: string): RetrievalError {
  return new RetrievalError('invalid-option', message, { phase: 'resolve' })
}

/** The status of a program that SIGPIPE ended: 128 and the number of the signal. */
export const brokenPipe = 141
