import type { Reply } from '../control/replies.ts'
import type { FtpRetrieval } from '../retrieval.ts'
import type { DataConnection } from './data.ts'

/** How many milliseconds after the end of the data the reply that ends a transfer may take. */
const replyTimeout = 10_000

/**
 * Returns the final reply of a transfer after which EPSV was sent. A server that takes no command during a transfer
 * refuses the EPSV at once (dCache: `503 Transfer in progress`), before its 226. That refusal does not belong to the
 * transfer.
 */
export async function finalReply(retrieval: FtpRetrieval, data: DataConnection, last: Promise<Reply>): Promise<Reply> {
  const reply = await last
  const { session } = retrieval
  const { prefetchReply, quirks, control } = session
  if (reply.code < 400 || prefetchReply === null) return reply
  const next = await Promise.race([prefetchReply, ended(data)]).catch(() => null)
  if (next === null || !endsTransfer(next)) return reply
  control.report(reply)
  session.takePrefetchReply()
  quirks.prefetching = false
  return next
}

/** Whether the reply ends a transfer (RFC 959 5.4). No such reply answers EPSV. */
function endsTransfer({ code }: Reply): boolean {
  return code === 226 || code === 250 || code === 426 || code === 451
}

async function ended(data: DataConnection): Promise<null> {
  await data.closed
  return new Promise((resolve) => setTimeout(() => resolve(null), replyTimeout).unref())
}
