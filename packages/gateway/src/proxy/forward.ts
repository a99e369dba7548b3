import { type IncomingMessage, request as sendRequest } from 'node:http'
import { type Resolution, RetrievalError, redact } from '@retriever/core'
import { authority, type HttpPlan } from '@retriever/core/internal'
import { openServerSocket } from '@retriever/fetchers/internal'
import type { Answer, Asked, FieldLine } from '../answer.ts'
import { endToEnd, linesOf, reasonOf, viaLine } from '../fields.ts'
import { isChunked } from '../guard.ts'
import type { Settings } from '../options.ts'

/**
 * Passes a request on to its HTTP server, and the answer back, with all fields but those of the connections (RFC 9110
 * 7.6). The connection is for this request alone.
 */
export async function forward(
  asked: Asked,
  resolution: Resolution,
  { client, limits }: Settings,
  pseudonym: string,
): Promise<Answer> {
  const { method, url, signal, body } = asked
  const plan = resolution.plan as HttpPlan
  if (hopsOf(asked) === 0)
    return {
      status: 200,
      lines: [
        ['Allow', 'GET, HEAD'],
        ['Content-Length', '0'],
      ],
      body: null,
    }
  const socket = await openServerSocket(client, url, { signal })
  socket.setTimeout(limits.idleTimeout, () => socket.destroy(new Error('idle')))
  const lines = fieldsFor(asked, plan, pseudonym)
  const sent = sendRequest({
    createConnection: () => socket,
    method,
    path: plan.target,
    headers: lines.flat(),
    maxHeaderSize: 65_536,
    insecureHTTPParser: false,
  })
  const response = await new Promise<IncomingMessage>((resolve, reject) => {
    sent.on('response', resolve)
    let interim = 0
    sent.on('information', () => {
      if (++interim <= maxInterim) return
      const cause = new Error('interim')
      // A response in the same segment comes before the error of destroy().
      reject(failure(url, cause))
      sent.destroy(cause)
    })
    // Without a listener, node:http would close the connection, and tell neither of an answer nor of an error.
    sent.on('upgrade', (_response, connection) => {
      connection.destroy()
      reject(failure(url, new Error('interim')))
    })
    sent.on('error', (cause) => reject(failure(url, cause)))
    body?.on('error', (cause) => sent.destroy(cause))
    if (body === null) sent.end()
    // It may have broken off while the connection was opened.
    else if (body.errored !== null) sent.destroy(body.errored)
    else body.pipe(sent)
  })
  const via = viaLine(response.httpVersion, pseudonym)
  const isEmpty = method === 'HEAD' || response.statusCode === 204 || response.statusCode === 304
  const coding = response.headers['transfer-encoding']
  // A final answer has another status, and 101 answers an Upgrade, which is not passed on (RFC 9110 15.2.2).
  const isInterim = (response.statusCode ?? 0) < 200
  if (isInterim || (!isEmpty && coding !== undefined && !isChunked(coding))) {
    response.destroy()
    throw failure(url, new Error(isInterim ? 'interim' : 'coding'))
  }
  if (isEmpty) response.resume()
  return {
    status: response.statusCode ?? 502,
    reason: reasonOf(response.statusMessage),
    lines: [...endToEnd(linesOf(response.rawHeaders)), via],
    body: isEmpty ? null : response,
  }
}

function fieldsFor(asked: Asked, plan: HttpPlan, pseudonym: string): FieldLine[] {
  const dropped = asked.method === 'OPTIONS' ? /^(?:host|expect|max-forwards)$/i : /^(?:host|expect)$/i
  const own = endToEnd(asked.lines).filter(([name]) => !dropped.test(name))
  const lines: FieldLine[] = [['Host', authority(plan, plan.tls === 'none' ? 80 : 443)], ...own]
  const { user, password } = plan
  if (user !== null && asked.headers.authorization === undefined) {
    const login = Buffer.from(`${user}:${password ?? ''}`, 'latin1').toString('base64')
    lines.push(['Authorization', `Basic ${login}`])
  }
  const hops = hopsOf(asked)
  if (hops !== null) lines.push(['Max-Forwards', String(hops - 1)])
  if (asked.body !== null && asked.headers['content-length'] === undefined) lines.push(['Transfer-Encoding', 'chunked'])
  lines.push(viaLine('1.1', pseudonym), ['Connection', 'close'])
  return lines
}

/** How many proxies OPTIONS may still pass (RFC 9110 7.6.2); null: no number is given. */
function hopsOf({ method, headers }: Asked): number | null {
  const text = headers['max-forwards'] ?? ''
  return method === 'OPTIONS' && /^\d{1,9}$/.test(text) ? Number(text) : null
}

/** How many interim answers may come, so that a server cannot hold a place by them for ever (threats.md section 2). */
const maxInterim = 10

/** The error for an answer that is none. */
function failure(url: string, cause: NodeJS.ErrnoException): RetrievalError {
  const isForeign = cause.code?.startsWith('HPE_') === true || /^(?:interim|coding)$/.test(cause.message)
  const code = isForeign ? 'protocol-violation' : cause.message === 'idle' ? 'timeout' : 'receive-failed'
  const words = {
    'protocol-violation': 'The server broke the rules of HTTP/1.1.',
    timeout: 'The server was silent for too long.',
    'receive-failed': 'The connection broke before the answer.',
  }
  return new RetrievalError(code, `${redact(url)}: ${words[code]}`, { phase: 'request', url, cause })
}
