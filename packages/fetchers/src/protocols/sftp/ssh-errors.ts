import { type ErrorCode, octetsToText, printable, RetrievalError } from '@retriever/core'
import type { ClientErrorExtensions } from 'ssh2'
import type { RetrievalContext } from '../../contract/fetcher.ts'
import { receiveError } from '../../wire/transport/socket-error.ts'
import { SftpStatus } from './channel.ts'

/** Makes the error that tells one of the retrievals on a connection why the connection was lost. */
export type Loss = (context: RetrievalContext) => RetrievalError

/** Thrown by a request whose connection is lost. */
export class Lost extends Error {
  override readonly name = 'Lost'
  readonly errorFor: Loss

  constructor(loss: Loss) {
    super('The connection is lost.')
    this.errorFor = loss
  }
}

export function ended(context: RetrievalContext): RetrievalError {
  const isBody = context.deadline.phase === 'body'
  const what = `The server closed the connection${isBody ? ' before the whole body had come' : ''}; try again.`
  return context.error(isBody ? 'partial' : 'receive-failed', what, { transient: true })
}

export function violation(context: RetrievalContext, what: string): RetrievalError {
  return context.error('protocol-violation', `SSH failed: ${printable(what).slice(0, 300)}. Check scheme and port.`)
}

/** Makes the error for one of ssh2's. */
export function sshError(context: RetrievalContext, error: Error & ClientErrorExtensions): RetrievalError {
  if (error.level === 'client-socket') return receiveError(context, error)
  if (/^(?:Connection lost|Timed out)/.test(error.message)) return ended(context)
  const words = printable(error.message).slice(0, 300)
  // A message of disconnection has its reason as a number (RFC 4253 11.1).
  if ('code' in error && typeof error.code === 'number') {
    const isLogin = context.deadline.phase === 'login'
    const what = isLogin ? 'The server ended the login' : 'The server ended the connection'
    return context.error(isLogin ? 'auth-failed' : 'server-refused', `${what}: ${words}.`, { reply: words })
  }
  if (error.message.endsWith('no matching host key format')) return noHostKey(context)
  return violation(context, error.message)
}

/** Makes the error if all keys of a server are of other kinds, such as `ssh-ed25519-cert-v01@openssh.com`. */
function noHostKey(context: RetrievalContext): RetrievalError {
  const what =
    'The server shows no host key of a known kind, perhaps certificates alone (@cert-authority), which are not understood.'
  const remedy = 'Ask its operator for a plain host key, of the kind ssh-ed25519, ecdsa-sha2-nistp256 or rsa-sha2-256.'
  return context.error('certificate', `${what} ${remedy}`, { phase: 'greeting' })
}

/**
 * Makes the error for a status of the server (draft-ietf-secsh-filexfer-02 7) or anything else that an operation
 * throws.
 */
export function operationError(context: RetrievalContext, cause: unknown): RetrievalError {
  if (RetrievalError.is(cause)) return cause
  if (!(cause instanceof SftpStatus)) {
    const words = cause instanceof Error ? cause.message : String(cause)
    return context.error('protocol-violation', `The server broke SFTP: ${printable(words).slice(0, 300)}.`, { cause })
  }
  const reply = printable(octetsToText(cause.message)).slice(0, 300)
  const [code, what] = meaningOf(cause.status)
  return context.error(code, `${what}${reply === '' ? '' : ` (${reply})`}`, { reply: reply || String(cause.status) })
}

function meaningOf(status: number): readonly [code: ErrorCode, what: string] {
  if (status === 2) return ['not-found', 'There is no such file or directory.']
  if (status === 3) return ['access-denied', 'The server denies access.']
  return ['server-refused', 'The server refused.']
}
