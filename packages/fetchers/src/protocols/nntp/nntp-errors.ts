import { type Phase, RetrievalError } from '@retriever/core'
import { adviceText } from '@retriever/core/internal'
import type { RetrievalContext } from '../../contract/fetcher.ts'
import { type Reply, refusal, replyWords } from '../../wire/framing/reply.ts'
import { saysFull } from '../../wire/pool/says-full.ts'
import { SessionLost } from './connection/command-queue.ts'
import type { NntpSession } from './connection/session.ts'

/** The replies about a missing group or article. sn and leafnode answer 430 to a number; RFC 3977 has 423 for that. */
const missing: ReadonlySet<number> = new Set([411, 420, 423, 430])

/** Makes the error for a refused GROUP, ARTICLE, OVER or LIST. */
export function refusedByServer(context: RetrievalContext, reply: Reply, what: string): RetrievalError {
  if (missing.has(reply.code)) return refusal(context, 'not-found', `The server has no ${what}`, reply)
  switch (reply.code) {
    case 400:
      return serverUnavailable(context, reply)
    case 480:
    case 450:
      return refusal(
        context,
        'access-denied',
        'The server wants another login for this, although it accepted this one',
        reply,
      )
    case 483:
      return tlsNeeded(context, reply)
    case 502:
      return refusal(context, 'access-denied', `The server does not give you ${what}`, reply)
    default:
      return refusal(context, 'server-refused', `The server did not send ${what}`, reply)
  }
}

/** Whether a greeting, or the reply to a login, says that the server has as many clients as it takes. */
export function isFullReply({ code, text }: Reply): boolean {
  return code >= 400 && saysFull(text)
}

/**
 * Makes the error for 400, after which the server closes the connection (RFC 3977 3.2.1). It may serve another one
 * later.
 */
export function serverUnavailable(context: RetrievalContext, reply: Reply, phase?: Phase): RetrievalError {
  const words = replyWords(reply)
  const message = `The news server is not available now; try later: ${words}`
  return context.error('server-refused', message, { reply: words, transient: true, ...(phase && { phase }) })
}

/** Makes the error for 483 (RFC 4642 5): the server takes a login, or any command, only over TLS. */
export function tlsNeeded(context: RetrievalContext, reply: Reply): RetrievalError {
  const advice = { option: 'defaults.requireTls' } as const
  const message = `The server wants TLS for this; use nntps:// (port 563), or ${adviceText(advice)} for STARTTLS`
  return refusal(context, 'server-refused', message, reply, { advice })
}

/** Makes the error for an overview that breaks off, in place of that of a read. */
export function overviewError(session: NntpSession, context: RetrievalContext, cause: unknown): unknown {
  // The stream can no longer be trusted: the next answer in it may belong to another command.
  if (RetrievalError.is(cause) && cause.code === 'protocol-violation') session.lose()
  if (!(cause instanceof SessionLost)) return cause
  const message = 'The connection ended before the whole overview had come; try again.'
  return session.evicted(context) ?? context.error('partial', message, { phase: 'body', transient: true, cause })
}
