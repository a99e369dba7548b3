import { type ErrorCode, printable, type RetrievalError } from '@retriever/core'
import type { RetrievalContext } from '../plugin/fetcher.ts'
import { isStatus } from './session.ts'

/** The error for a status of the server (draft-ietf-secsh-filexfer-02 7). */
export function statusError(context: RetrievalContext, cause: unknown): RetrievalError {
  if (!isStatus(cause)) {
    const words = cause instanceof Error ? cause.message : String(cause)
    return context.error('protocol-violation', `The server broke SFTP: ${printable(words).slice(0, 300)}.`, { cause })
  }
  const reply = printable(cause.message).slice(0, 300)
  const [code, what] = meaningOf(cause.code)
  return context.error(code, `${what} (${reply})`, { reply })
}

function meaningOf(status: number): readonly [code: ErrorCode, what: string] {
  if (status === 2) return ['not-found', 'There is no such file or directory.']
  if (status === 3) return ['access-denied', 'The server denies access.']
  return ['server-refused', 'The server refused.']
}
