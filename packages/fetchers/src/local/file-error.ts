import type { RetrievalError } from '@retriever/core'
import type { RetrievalContext } from '../contract/fetcher.ts'
import { systemReason } from '../kit/system-reason.ts'

/** Makes a RetrievalError from a system error. */
export function fileError(context: RetrievalContext, cause: unknown): RetrievalError {
  const code = cause instanceof Error && 'code' in cause ? String(cause.code) : String(cause)
  if (code === 'ENOENT' || code === 'ENOTDIR') {
    return context.error('not-found', 'There is no such file or directory; check the path.', { cause })
  }
  if (code === 'EACCES' || code === 'EPERM') {
    return context.error('access-denied', 'You may not read the file; check its permissions.', { cause })
  }
  return context.error('file-failed', `The file could not be read (${systemReason(cause) ?? code}).`, { cause })
}
