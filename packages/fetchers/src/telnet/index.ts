import { octetsToText, type TelnetPlan } from '@retriever/core'
import type { Fetcher, RetrievalContext } from '../plugin/fetcher.ts'
import type { SessionOptions } from '../plugin/session.ts'
import { openSocket } from '../wire/transport/socket.ts'
import { TelnetSession } from './session.ts'

/**
 * A fetcher for telnet URLs. Such a URL "does not designate a data object, but rather an interactive service" (RFC 4248
 * 2), so retrieve() hands it to the telnet program, and makes no connection; connect() opens the service as a stream.
 * User and password are only shown, and never sent.
 */
export function telnetFetcher(): Fetcher<'telnet'> {
  return { mechanism: 'telnet', retrieve: async (_plan, context) => context.handoff(), connect }
}

async function connect(plan: TelnetPlan, context: RetrievalContext, options: SessionOptions): Promise<TelnetSession> {
  if (plan.user) checkUser(octetsToText(plan.user), context)
  const socket = await openSocket(context, plan)
  context.deadline.phase = 'request'
  return new TelnetSession(socket, plan, context, options)
}

/**
 * Refuses a user that begins with `-` or `+`: the login program of the server may read it as an option (CVE-2007-0882,
 * CVE-2026-24061). The finding `option-injection` warns of it earlier; this check holds even if the caller allowed
 * that.
 */
function checkUser(user: string, context: RetrievalContext): void {
  const isOption = /^[-+]/.test(user)
  if (!isOption && /^[^\0-\x1F\x7F-\x9F]*$/.test(user)) return
  const message = isOption
    ? "The server's login program could read the user as an option; the URL is not used."
    : 'The user holds control characters; the URL is not used.'
  throw context.error('refused', message, { phase: 'policy' })
}
