import type { HttpPlan } from '@retriever/core/internal'
import type { RetrievalContext } from '../../../contract/fetcher.ts'
import { openSocket } from '../../../wire/transport/socket.ts'

/** How many milliseconds the handshake may take. It only serves to word an error. */
const replyTimeout = 1000

/** The requests of retrievals that have tried this already. Each tries once. */
const tried = new WeakSet<object>()

/**
 * Whether a server that closed a connection in the clear without an answer speaks TLS on this port: with most TLS
 * libraries, servers close in this way. It makes a handshake to find out. It sends nothing afterwards, so the
 * certificate does not matter. False: the server does not speak TLS, or we do not know.
 */
export async function speaksTls(plan: HttpPlan, context: RetrievalContext): Promise<boolean> {
  const { host, port } = plan
  if (port === 80 || tried.has(context.request)) return false
  tried.add(context.request)
  const { phase } = context.deadline
  const connectTimeout = Math.min(replyTimeout, context.limits.connectTimeout)
  const deadline = context.deadline.attempt(context.url, { ...context.limits, connectTimeout })
  const quiet = { ...context, deadline, hasListener: false, emit: () => {}, tls: { insecure: true } }
  try {
    const socket = await openSocket(quiet, { host, port, tls: 'implicit' })
    socket.destroy()
    return true
  } catch {
    return false
  } finally {
    context.deadline.phase = phase
  }
}
