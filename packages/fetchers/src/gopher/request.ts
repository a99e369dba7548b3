import type { GopherPlan } from '@retriever/core'
import type { RetrievalContext } from '../fetcher.ts'
import type { Connection } from '../wire/socket.ts'

/**
 * A Gopher+ request with form data (Gopher+ 2.4): one line up to the data flag, then the data block, whose lines are the form's.
 * Neither the selector nor the search may have begun a line of its own.
 */
const formRequest = /^[^\r\n\0]*\t1\r\n[^\0]*$/

/** Sends exactly what the plan says. Lines go through the door that lets no second one pass, form data past it. */
export async function sendRequest(plan: GopherPlan, connection: Connection, context: RetrievalContext): Promise<void> {
  const [message = '\r\n'] = plan.wire
  const line = message.replace(/\r\n$/, '')
  if (!/[\r\n]/.test(line)) return connection.sendLine(line)
  const asked = `${plan.selector}${plan.search ?? ''}`
  if (plan.gopherPlus !== null && !/[\r\n\0]/.test(asked) && formRequest.test(message)) {
    return connection.sendMessage(message)
  }
  const what = 'The request holds a line end where none may be: only Gopher+ form data has lines.'
  throw context.error('refused', what, { phase: 'policy' })
}
