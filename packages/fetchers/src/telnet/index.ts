import { octetsToText, type TelnetPlan } from '@retriever/core'
import type { Fetcher, Handoff, RetrievalContext } from '../fetcher.ts'

/**
 * A telnet URL "does not designate a data object, but rather an interactive service" (RFC 4248 2): it is handed to the
 * telnet program. Nothing is connected here. User and password are advice for the person: `telnet -l` would send the
 * user at once, and programs show their arguments to everybody.
 */
export function telnetFetcher(): Fetcher<'telnet'> {
  return { mechanism: 'telnet', retrieve: async (plan, context) => handoff(plan, context) }
}

function handoff(plan: TelnetPlan, context: RetrievalContext): Handoff {
  const user = plan.user ? octetsToText(plan.user) : null
  if (user !== null) checkArgument(context, 'user', user, /^[^\0-\x1F\x7F-\x9F]+$/)
  checkArgument(context, 'host', plan.host, /^[\w.:%-]+$/)
  const handedOver = {
    outcome: 'handoff',
    service: 'telnet',
    host: plan.host,
    port: plan.port,
    user,
    program: 'telnet',
    args: [plan.host, String(plan.port)],
  } as const
  return plan.password === null ? handedOver : withPassword(handedOver, octetsToText(plan.password))
}

function withPassword(handoff: Handoff, password: string): Handoff {
  return Object.defineProperty({ ...handoff }, 'password', { value: password })
}

/**
 * `-` and `+` would begin an option, of telnet or, passed on as USER, of the far side's login (CVE-2007-0882, CVE-2026-24061).
 * The findings have said so before; this holds whatever was allowed.
 */
function checkArgument(context: RetrievalContext, name: string, value: string, legal: RegExp): void {
  const isOption = /^[-+]/.test(value)
  if (legal.test(value) && !isOption) return
  const message = isOption
    ? `The telnet program, or a login behind it, would read the ${name} as an option; it is not handed over.`
    : `The ${name} holds characters that do not belong there, such as controls; it is not handed over.`
  throw context.error('refused', message, { phase: 'policy' })
}
