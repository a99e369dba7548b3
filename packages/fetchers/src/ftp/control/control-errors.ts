import { printable, RetrievalError } from '@retriever/core'
import type { FTPResponse } from 'basic-ftp'
import type { RetrievalContext } from '../../plugin/fetcher.ts'
import { receiveError } from '../../wire/transport/socket-error.ts'
import { violation } from './replies.ts'

/** A reply came that belongs to no command: `words`, without secrets. */
export function outOfStep(context: RetrievalContext, words: string): RetrievalError {
  const shown = printable(words).slice(0, 300)
  const message = `The server sent a reply to no command ("${shown}"); the connection was closed.`
  return violation(context, message, shown)
}

/** The control connection has ended; what basic-ftp says of it may be an end in order. */
export function controlLost(
  context: RetrievalContext,
  cause: Error | FTPResponse,
  isWithinReply: boolean,
): RetrievalError {
  if (RetrievalError.is(cause)) return cause
  if (cause instanceof Error && 'code' in cause && cause.code !== '0') return receiveError(context, cause)
  const within = isWithinReply ? ' within a reply' : ''
  return context.error('receive-failed', `The server closed the control connection${within}; try again.`, {
    transient: true,
    cause,
  })
}
