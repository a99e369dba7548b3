import type { GopherPlan } from '@retriever/core/internal'
import type { RetrievalContext } from '../../contract/fetcher.ts'
import { isOneLine } from '../../wire/framing/lines.ts'
import type { Connection } from '../../wire/transport/connection.ts'
import type { FormData } from './plus/answers.ts'

/**
 * Matches a Gopher+ request with form data (Gopher+ 2.4): one line up to the data flag, then the data block with the
 * lines of the form.
 */
const formRequest = /^[^\r\n\0]*\t1\r\n[^\0]*$/

/**
 * Sends the request of the plan. A line goes through sendLine(), which refuses a second line. Form data go through
 * sendMessage().
 */
export async function sendRequest(plan: GopherPlan, connection: Connection, context: RetrievalContext): Promise<void> {
  const line = lineOf(plan)
  if (!/[\r\n]/.test(line)) return connection.sendLine(line)
  const [message = ''] = plan.wire
  const asked = `${plan.selector}${plan.search ?? ''}`
  if (plan.gopherPlus !== null && !/[\r\n\0]/.test(asked) && formRequest.test(message)) {
    return connection.sendMessage(message)
  }
  const what = 'The request holds a line end where none may be: only Gopher+ form data has lines.'
  throw context.error('refused', what, { phase: 'policy' })
}

/**
 * Sends the request with the data flag, and then the data of the form (Gopher+ 2.4). The data block may contain any
 * octets: it begins with its length, or ends in a dot that cannot be one of its lines.
 */
export async function sendForm(
  plan: GopherPlan,
  form: FormData,
  connection: Connection,
  context: RetrievalContext,
): Promise<void> {
  const line = `${lineOf(plan)}\t1`
  if (!isOneLine(line)) {
    throw context.error('refused', 'The request of a form holds a line end where none may be.', { phase: 'policy' })
  }
  await connection.sendMessage(`${line}\r\n${form.octets}`, `${line}\r\n${form.shown}`)
}

/** Returns the request without its line end. */
function lineOf({ wire }: GopherPlan): string {
  return (wire[0] ?? '').replace(/\r\n$/, '')
}
