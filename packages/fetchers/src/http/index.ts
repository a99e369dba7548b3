import { encodeOctets, type HttpPlan, redact } from '@retriever/core'
import type { Fetcher, Outcome, ProxyServer, RetrievalContext } from '../fetcher.ts'
import { proxyAuthorization, proxyLoginError } from '../wire/http-connect.ts'
import { basicFromAsking, basicFromPlan } from './basic.ts'
import { HttpBody } from './body.ts'
import { exchangeError, statusError } from './errors.ts'
import { Exchange, type Head } from './exchange.ts'
import { forwarder } from './forward.ts'
import { Pool } from './pool.ts'
import { getRequest } from './request.ts'
import { checkChanged, checkRange, describe, ResponseHead } from './response.ts'

/** RFC 9110 15.4: the ones a GET may follow without being asked. */
const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/** A redirect's or an error's body is read away so that the connection can serve again, but not for longer than this. */
const discardMilliseconds = 1000

/**
 * HTTP/1.1 (RFC 9110, RFC 9112) by undici. Connections are kept between retrievals, until dispose(). A redirect is an outcome:
 * nothing is followed here.
 */
export function httpFetcher(): Fetcher<'http'> {
  const pool = new Pool()
  return {
    mechanism: 'http',
    retrieve: (plan, context) => retrieve(pool, plan, context),
    dispose: () => pool.close(),
  }
}

/** An answer whose body is still to come. */
interface Answer {
  readonly head: ResponseHead
  readonly body: HttpBody
  /** The proxy that was asked, and answers for itself or for the server. */
  readonly proxy: ProxyServer | null
}

async function retrieve(pool: Pool, plan: HttpPlan, context: RetrievalContext): Promise<Outcome> {
  const authorization = basicFromPlan(plan, context)
  const first = await converse(pool, plan, context, authorization)
  if (first.head.status !== 401) return outcome(first, context)
  await discard(first.body, context)
  if (authorization !== null) throw loginRefused(first.head, context)
  const asked = await basicFromAsking(plan, context, first.head.field('www-authenticate') ?? '')
  const second = await converse(pool, plan, context, asked)
  if (second.head.status !== 401) return outcome(second, context)
  await discard(second.body, context)
  throw loginRefused(second.head, context)
}

function loginRefused({ status, reply }: ResponseHead, context: RetrievalContext): Error {
  const message = `The server refused the user or password; check them. (${reply})`
  return context.error('auth-failed', message, { status, reply, phase: 'login' })
}

/** Sends the request and waits for the answer's head. */
async function converse(
  pool: Pool,
  plan: HttpPlan,
  context: RetrievalContext,
  authorization: string | null,
): Promise<Answer> {
  const { deadline, emit, url, request } = context
  const proxy = forwarder(plan, context)
  const { options, shown } = getRequest(plan, request, {
    authorization,
    proxyAuthorization: proxy && proxyAuthorization(proxy),
  })
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

async function outcome({ head, body, proxy }: Answer, context: RetrievalContext): Promise<Outcome> {
  const { status } = head
  const location = head.field('location')
  if (redirects.has(status) && location !== null) {
    await discard(body, context)
    // Octets beyond ASCII, which are none of a URL, keep their values: what the server wrote is what it is asked for next.
    const octets = location.replace(/[\x80-\xFF]/g, (octet) => encodeOctets(octet))
    return { outcome: 'redirect', location: octets, status }
  }
  try {
    checkStatus(head, proxy, context)
    return { ...describe(head), body }
  } catch (error) {
    await discard(body, context)
    throw error
  }
}

function checkStatus(head: ResponseHead, proxy: ProxyServer | null, context: RetrievalContext): void {
  const { status, reply } = head
  if (status === 407 && proxy !== null) throw proxyLoginError(context, proxy, status, reply)
  if (status !== 416 && status >= 400) throw statusError(head, proxy, context)
  checkChanged(head, context.request, context)
  checkRange(head, context.request, context)
  const coding = head.field('transfer-encoding')
  const odd = status === 304 || (coding !== null && !/^chunked$/i.test(coding.trim()))
  if (!odd) return
  // Neither a condition nor TE was sent, so neither may come (RFC 9110 15.4.5, RFC 9112 7.4).
  const what = status === 304 ? 'that nothing has changed' : 'in a transfer coding'
  throw context.error('protocol-violation', `The server answered ${what}, which was not asked for. (${reply})`, {
    status,
    reply,
    phase: 'request',
  })
}

/** Reads a body away, if that is quickly done; else its connection goes. */
async function discard(body: HttpBody, { limits }: RetrievalContext): Promise<void> {
  const timer = setTimeout(() => void body.return(), discardMilliseconds)
  try {
    let length = 0
    for await (const chunk of body) {
      length += chunk.length
      if (length > limits.maxReply) break
    }
  } catch {
    // Broken off: nobody wants it.
  } finally {
    clearTimeout(timer)
  }
}
