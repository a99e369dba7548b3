import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { networkInterfaces } from 'node:os'
import { findScheme, type Resolution } from '@retriever/core'
import { isInward, isLoopback, schemeOf } from '@retriever/core/internal'
import { isLocal } from '@retriever/fetchers/internal'
import type { Asked } from './answer.ts'
import { Refusal } from './problem.ts'

/** Throws for another machine, unless the gateway has a token. */
export function checkPeer({ socket }: IncomingMessage, token: string | null): void {
  if (token !== null || isLoopback(socket.remoteAddress?.replace(/^::ffff:/, '') ?? '')) return
  throw new Refusal(403, 'Without a token, this gateway answers programs of its own machine alone.')
}

/**
 * Throws for content in another coding than chunks: the coding belongs to the connection, so that it would be passed on
 * without its name. And for chunks in HTTP/1.0, which servers of that time do not know (RFC 9112 6.1).
 */
export function checkCoding({ httpVersion, headers }: IncomingMessage): void {
  const coding = headers['transfer-encoding']
  if (coding === undefined) return
  // Without chunks at the end, the length of the content is unknown (RFC 9112 6.3).
  const status = /,\s*chunked$/i.test(coding) ? 501 : 400
  if (!isChunked(coding)) throw new Refusal(status, 'Of transfer codings, this gateway knows chunked alone.')
  if (httpVersion === '1.0') throw new Refusal(400, 'HTTP/1.0 has no chunks.')
}

/** Whether a Transfer-Encoding names chunks and nothing else. */
export function isChunked(coding: string): boolean {
  return /^chunked$/i.test(coding.trim())
}

/** Throws unless the request has the token of the gateway in Proxy-Authorization (RFC 9110 11.7). */
export function checkToken(given: string | undefined, token: string | null): void {
  if (token === null) return
  const [, kind = '', value = ''] = /^(Basic|Bearer) +(\S+) *$/i.exec(given ?? '') ?? []
  const isBasic = kind.toLowerCase() === 'basic'
  const password = isBasic
    ? Buffer.from(value, 'base64')
        .toString('latin1')
        .replace(/^[^:]*:/s, '')
    : value
  if (isSecret(password, token)) return
  const message = 'This gateway wants its token as the password of the proxy, with any user.'
  throw new Refusal(407, message, [['Proxy-Authenticate', 'Basic realm="retrieve gateway"']])
}

/** Whether a text is the secret. The time that this takes tells nothing about either. */
export function isSecret(given: string, secret: string): boolean {
  const [one, other] = [given, secret].map((text) => createHash('sha256').update(text).digest()) as [Buffer, Buffer]
  return timingSafeEqual(one, other)
}

/** Throws for a request whose form no proxy answers, or that a web page may have made. */
export function checkForm({ method, url, lines, headers }: Asked, pseudonym: string): void {
  if (!/^[a-z][a-z0-9+.-]*:/i.test(url)) {
    throw new Refusal(400, 'This is a proxy: its requests name a whole URL, as in GET gopher://host/1/ HTTP/1.1.')
  }
  if (lines.filter(([name]) => name.toLowerCase() === 'host').length > 1) {
    throw new Refusal(400, 'The request has several Host fields.')
  }
  if (method === 'TRACE') throw new Refusal(405, 'TRACE is not passed on.', [['Allow', 'GET, HEAD']])
  const via = lines.filter(([name]) => name.toLowerCase() === 'via').map(([, value]) => value)
  if (via.join().includes(pseudonym)) throw new Refusal(508, 'The request has come through this proxy before.')
  const isWeb = /^https?:/i.test(url)
  const mode = headers['sec-fetch-mode'] ?? 'navigate'
  // A browser that has this proxy guards what pages read by HTTP. Of other schemes it may know less.
  if (!isWeb && (headers.origin !== undefined || mode !== 'navigate')) {
    throw new Refusal(403, 'A web page may not ask for this URL; open it by itself.')
  }
}

/** Whether a page may lead to a URL: to no script, and to nothing of this machine. */
export function isLinked(url: string): boolean {
  const scheme = findScheme(schemeOf(url) ?? '')
  return scheme !== undefined && !isLocal(scheme)
}

/** Throws for a URL of this machine's files and programs, and for the gateway's own addresses. */
export function checkTarget({ scheme, plan }: Resolution, ownPorts: readonly number[]): void {
  if (isLocal(scheme)) {
    throw new Refusal(403, `${scheme.name} URLs lead to this machine itself, and a gateway serves none of them.`)
  }
  if (!('port' in plan) || plan.host === null || !ownPorts.includes(Number(plan.port))) return
  const own = Object.values(networkInterfaces()).flatMap((all) => (all ?? []).map(({ address }) => address))
  if (isInward(plan.host) || own.includes(plan.host)) throw new Refusal(508, 'The URL leads to this gateway itself.')
}
