import type { TelnetPlan } from '@retriever/core/internal'
import type { Fetcher, RetrievalContext } from '../../contract/fetcher.ts'
import type { SessionOptions } from '../../contract/session.ts'
import { openSocket } from '../../wire/transport/socket.ts'
import { telnet } from './about.ts'
import { TelnetSession } from './session.ts'

/**
 * Makes a fetcher for telnet URLs. Such a URL "does not designate a data object, but rather an interactive service"
 * (RFC 4248 2), so retrieve() makes no connection and hands it to the telnet program. connect() opens the service as a
 * stream. User and password are only shown, never sent.
 */
export function telnetFetcher(): Fetcher<'telnet'> {
  return { ...telnet, retrieve: async (_plan, context) => context.handoff(), connect }
}

async function connect(plan: TelnetPlan, context: RetrievalContext, options: SessionOptions): Promise<TelnetSession> {
  // Refuses a user that a login program would read as an option (CVE-2007-0882, CVE-2026-24061).
  context.handoff()
  const socket = await openSocket(context, plan)
  context.deadline.phase = 'request'
  return new TelnetSession(socket, plan, context, options)
}
