import type { RetrievalError } from '@retriever/core'
import type { RetrievalContext } from '../fetcher.ts'
import { type Reply, refusal } from '../wire/reply.ts'
import { type NntpSession, tlsNeeded } from './session.ts'

/** What a server says of a group or article it does not have. sn and leafnode answer 430 to a number (RFC 3977 says 423). */
const missing: ReadonlySet<number> = new Set([411, 420, 423, 430])

/** The error for a refused GROUP, ARTICLE, OVER or LIST. Takes leave of the server, unless it is leaving itself (400). */
export function refused(session: NntpSession, context: RetrievalContext, reply: Reply, what: string): RetrievalError {
  if (reply.code >= 401) session.end()
  if (missing.has(reply.code)) return refusal(context, 'not-found', `The server has no ${what}`, reply)
  switch (reply.code) {
    case 480:
    case 450:
      return refusal(
        context,
        'access-denied',
        'The server wants another login for this, although it took this one',
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
