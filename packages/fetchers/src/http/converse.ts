import { type HttpPlan, redact } from '@retriever/core'
import type { RetrievalContext } from '../fetcher.ts'
import type { Answer, Asking } from './asking.ts'
import { HttpBody } from './body.ts'
import { exchangeError } from './errors.ts'
import { Exchange, type Head } from './exchange.ts'
import { forwarder } from './forward.ts'
import type { Pool } from './pool.ts'
import { type Logins, makeRequest } from './request.ts'
import { ResponseHead } from './response.ts'

/** Sends the request and waits for the answer's head. */
export async function converse(
  pool: Pool,
  plan: HttpPlan,
  context: RetrievalContext,
  asking: Asking,
  logins: Logins,
): Promise<Answer> {
  const { deadline, emit, url, request } = context
  const proxy = forwarder(plan, context)
  const { options, shown } = makeRequest(plan, request, asking, logins)
  while (true) {
    const connection = await pool.lease(context, plan)
    emit({ type: 'sent', url, octets: shown })
    try {
      const exchange = new Exchange(connection, options)
      const head = await deadline.within('request', () => exchange.head())
      emit({ type: 'received', url, octets: headOctets(connection.firstOctets, head) })
      const giveBack = (): void => pool.giveBack(connection, context, plan)
      return { head: new ResponseHead(head), body: new HttpBody(exchange, context, giveBack), proxy }
    } catch (cause) {
      await connection.destroy()
      if (deadline.signal.aborted) throw deadline.signal.reason
      // The server had closed it while it lay idle; RFC 9112 9.3.1 lets a GET be sent again.
      if (connection.reused && connection.firstOctets === '') continue
      throw exchangeError(context, connection, cause)
    }
  }
}

/** The header section as it came but for line folding; cookies are the server's secrets, and a Location may hold others. */
function headOctets(first: string, { status, reason, fields }: Head): string {
  const version = /^HTTP\/\d\.\d/.exec(first)?.[0] ?? 'HTTP/1.1'
  const lines = fields.map(([name, value]) => `${name}: ${/^set-cookie$/i.test(name) ? '<cookie>' : value}\r\n`)
  return redact(`${version} ${status} ${reason}\r\n${lines.join('')}\r\n`)
}
