import { redact } from '@retriever/core'
import { type HttpPlan, isSecretField, secretValues, utf8Octets } from '@retriever/core/internal'
import { type Hide, hideSent, shortestSecret } from '../../../auth/sent-secrets.ts'
import type { RetrievalContext } from '../../../contract/fetcher.ts'
import { wholeSource } from '../../../kit/byte-source.ts'
import { exchangeError, isRefusedStream, tlsPortError } from '../errors.ts'
import type { Answer, RangeRequest } from '../exchange.ts'
import { forwarder, type Logins, makeRequest } from '../request.ts'
import { ResponseHead } from '../response.ts'
import { HttpBody } from './body.ts'
import type { Head } from './connection.ts'
import type { ConnectionPool } from './pool.ts'
import { speaksTls } from './tls-port.ts'

/** Sends the request and waits for the head of the response. */
export async function sendRequest(
  pool: ConnectionPool,
  plan: HttpPlan,
  context: RetrievalContext,
  rangeRequest: RangeRequest,
  logins: Logins,
): Promise<Answer> {
  const { deadline, emit, url, request, stopwatch, hasListener = true, onHead, onExchange } = context
  const proxy = forwarder(plan, context)
  // A proxy that is asked for the URL gets its own fields, too.
  const asked = proxy?.headers ? { ...request, headers: { ...request.headers, ...proxy.headers } } : request
  const made = makeRequest(plan, asked, rangeRequest, logins)
  const { shown } = made
  let hiding: Hide | undefined
  // Made only when needed, since few answers are shown.
  const hide: Hide = (octets) => {
    // As the reason `OK`, which each answer has.
    if (octets.length < shortestSecret) return octets
    hiding ??= hideSent(made.fields, secretsOf(plan, context))
    return hiding(octets)
  }
  let wasRefused = false
  while (true) {
    const exchange = await pool.begin(context, plan, made)
    const release = deadline.onAbort(() => void exchange.cancel())
    const { connection } = exchange
    stopwatch?.requested()
    const sent = (): string => (connection.isShared ? shownAsHttp2(shown()) : shown())
    if (hasListener) emit({ type: 'sent', url, octets: sent() })
    try {
      const head = await deadline.within('request', () => exchange.head())
      onHead?.(headOctets(head, asItCame))
      const received = (): string => redact(hide(headOctets(head, shownValue)))
      if (hasListener) emit({ type: 'received', url, octets: received() })
      const whole = exchange.takeWhole()
      if (whole !== null) release()
      const { status } = head
      const { peerAddress } = connection
      const body = whole === null ? new HttpBody(exchange, context, release) : wholeSource(whole)
      return {
        head: new ResponseHead(head, hide),
        body: onExchange?.({ request: redact(sent()), head: received(), status, peerAddress }, body) ?? body,
        proxy,
        peerAddress,
        isWhole: whole !== null,
        provesEnd: connection.provesEnd,
      }
    } catch (cause) {
      release()
      await exchange.cancel()
      deadline.throwIfAborted()
      // The server had closed the idle connection. A GET may then be sent again (RFC 9112 9.3.1).
      if (connection.isReused && exchange.firstOctets === '') continue
      if (isRefusedStream(cause) && !wasRefused) {
        wasRefused = true
        continue
      }
      const error = exchangeError(context, exchange, cause, hide)
      const mayBeTls = plan.tls === 'none' && proxy === null && exchange.firstOctets === '' && error.transient
      if (mayBeTls && (await speaksTls(plan, context))) throw tlsPortError(plan, context)
      throw error
    }
  }
}

/** Returns the secrets of the URL, and the passwords that an earlier request of this retrieval may have sent. */
function secretsOf({ password, target }: HttpPlan, context: RetrievalContext): readonly (string | null | undefined)[] {
  const { login } = context.request
  return [password, login && utf8Octets(login.password), context.proxy?.password, ...secretValues(target)]
}

/** Puts HTTP/2 into the request line. The rest stays in the form of HTTP/1.1, as other tools show it. */
function shownAsHttp2(shown: string): string {
  return shown.replace(' HTTP/1.1\r\n', ' HTTP/2\r\n').replace('Connection: keep-alive\r\n', '')
}

/** Writes the header section without line folding. */
function headOctets({ status, reason, version, fields }: Head, value: (name: string, value: string) => string): string {
  const lines = fields.map((field) => `${field[0]}: ${value(...field)}\r\n`)
  return `${version} ${status} ${reason}\r\n${lines.join('')}\r\n`
}

function asItCame(_name: string, value: string): string {
  return value
}

/** Returns the value of a field for events. Masks secrets, such as cookies. */
function shownValue(name: string, value: string): string {
  if (/^set-cookie$/i.test(name)) return '<cookie>'
  return isSecretField(name) ? '<password>' : value
}
