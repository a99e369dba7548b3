import type { HttpPlan } from '@retriever/core'
import type { RetrievalContext } from '../../plugin/fetcher.ts'
import { openSocket } from '../../wire/transport/socket.ts'

/** The question below is a courtesy: it may not keep a retrieval back for longer than this. */
const replyTimeout = 1000

/** The requests of retrievals that have asked already: each asks once. */
const asked = new WeakSet<object>()

/**
 * Whether a server that closed a connection in the clear without an answer takes TLS on this port, as most TLS
 * libraries make it close then. A handshake alone finds out: nothing is sent in it, so the certificate does not
 * matter. False where it is not known.
 */
export async function speaksTls(plan: HttpPlan, context: RetrievalContext): Promise<boolean> {
  const { host, port } = plan
  if (port === 80 || asked.has(context.request)) return false
  asked.add(context.request)
  const deadline = context.deadline.attempt()
  const quiet = { ...context, deadline, hasListener: false, emit: () => {}, tls: { insecure: true } }
  const { phase } = context.deadline
  const signal = AbortSignal.timeout(replyTimeout)
  try {
    const socket = await openSocket(quiet, { host, port, tls: 'implicit' }, signal)
    socket.destroy()
    return true
  } catch {
    return false
  } finally {
    deadline.end()
    context.deadline.phase = phase
  }
}
