import { type ErrorCode, RetrievalError } from '@retriever/core'

/** What may be otherwise in the next run although the error is not transient: this machine, and its network. */
const passing: ReadonlySet<ErrorCode> = new Set([
  'aborted',
  'connect-failed',
  'file-failed',
  'invalid-option',
  'partial',
  'receive-failed',
  'resume-failed',
  'timeout',
  'write-failed',
])

/** From when on a URL may be asked for again after this error; null if it failed for good. */
export function againAfter(error: unknown): string | null {
  // Any other error is a defect of the command, not of the URL.
  const { code, transient, retryAfter = 0 } = RetrievalError.is(error) ? error : noReason
  if (!transient && !passing.has(code)) return null
  // A year is as good as for ever, and a date that no clock knows would be an error.
  return new Date(Date.now() + Math.min(retryAfter, year)).toISOString()
}

const noReason = { code: 'aborted', transient: true, retryAfter: 0 } as const
const year = 365 * 24 * 3600_000
