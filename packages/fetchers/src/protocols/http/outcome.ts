import type { OctetRange, Outcome, RetrievalContext, Retrieved } from '../../contract/fetcher.ts'
import { sourceOf } from '../../kit/byte-source.ts'
import { givesField } from '../../kit/request-options.ts'
import { proxyLoginError } from '../../wire/proxy/http-connect.ts'
import { decodeBody } from './coding/coding.ts'
import { discard, readExcerpt } from './connection/discard.ts'
import { statusError } from './errors.ts'
import type { Answer } from './exchange.ts'
import { locationOf } from './location.ts'
import { checkRange } from './range/content-range.ts'
import { checkChanged, describe, type ResponseHead } from './response.ts'

/** Redirects with these statuses may be followed without asking the user (RFC 9110 15.4). */
const redirects: ReadonlySet<number> = new Set([301, 302, 303, 307, 308])

/** Makes the outcome of this answer to a request for `range`. Throws for an error, or if another range came. */
export async function outcomeOf(
  answer: Answer,
  context: RetrievalContext,
  range?: OctetRange,
): Promise<Outcome<'http'>> {
  const { head, body, peerAddress } = answer
  const { status } = head
  const location = redirects.has(status) ? locationOf(head, context) : null
  if (location !== null) {
    if (context.request.http?.fail === false && context.limits.maxRedirects === 0) return retrieved(answer)
    await discard(body, context)
    const setsCookies = head.asSent.some(([name]) => name.toLowerCase() === 'set-cookie')
    return { outcome: 'redirect', ...location, status, setsCookies, peerAddress }
  }
  if (status >= 400) return failed(answer, context, range)
  try {
    checkChanged(head, context.request, context)
    checkRange(head, range, context)
    checkUnrequested(head, context)
    checkAim(head, context)
    if (context.request.head === true) await discard(body, context)
    return retrieved(answer)
  } catch (error) {
    await discard(body, context)
    throw error
  }
}

/** Throws the error for a status of 400 or more. Resolves to the answer if RequestOptions.fail is false. */
async function failed(
  answer: Answer,
  context: RetrievalContext,
  range: OctetRange | undefined,
): Promise<Outcome<'http'>> {
  const { head, proxy } = answer
  const { status, reply } = head
  const isProxyLogin = status === 407 && proxy !== null
  if (context.request.http?.fail === false && !isProxyLogin) return retrieved(answer)
  const excerpt = await readExcerpt(sourceOf(decodeBody(retrieved(answer), context).body), head.hide, context)
  // If the retrieval was aborted in the meantime, that is the error, not the status.
  context.deadline.throwIfAborted()
  if (isProxyLogin) throw proxyLoginError(context, proxy, status, reply)
  if (status === 412) checkChanged(head, context.request, context)
  if (status === 416) checkRange(head, range, context)
  throw statusError(head, excerpt, proxy, context)
}

function retrieved({ head, body, provesEnd = false }: Answer): Retrieved<'http'> {
  return Object.assign(describe(head, provesEnd), { body })
}

/** Throws for 304 without a condition, and for a transfer coding without TE (RFC 9110 15.4.5, RFC 9112 7.4). */
function checkUnrequested(head: ResponseHead, context: RetrievalContext): void {
  const { status } = head
  if (status === 304 && givesField(context.request, 'if-none-match', 'if-modified-since')) {
    if (context.request.http?.fail === false) return
    const { reply } = head
    throw context.error('not-modified', `It has not been modified. (${reply})`, { status, reply, phase: 'request' })
  }
  const coding = head.field('transfer-encoding')
  if (status !== 304 && (coding === null || /^chunked$/i.test(coding.trim()))) return
  const { reply } = head
  const what = status === 304 ? 'that nothing has changed' : 'in a transfer coding'
  throw context.error('protocol-violation', `The server answered ${what}, which was not asked for. (${reply})`, {
    status,
    reply,
    phase: 'request',
  })
}

/** Throws for a redirect that leads nowhere: its content is a note about the redirect, not what was asked for. */
function checkAim({ status, reply }: ResponseHead, context: RetrievalContext): void {
  if (!redirects.has(status) || context.request.http?.fail === false) return
  const message = `The server redirects, but its Location is missing or empty. (${reply})`
  throw context.error('protocol-violation', message, { status, reply, phase: 'request' })
}
