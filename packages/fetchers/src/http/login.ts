import type { HttpPlan } from '@retriever/core'
import type { RetrievalContext } from '../fetcher.ts'
import { proxyAuthorization } from '../wire/http-connect.ts'
import type { Answer, Ask, Asking } from './asking.ts'
import { basicFromAsking, basicFromPlan } from './basic.ts'
import { discard } from './body.ts'
import { forwarder } from './forward.ts'
import type { Logins } from './request.ts'
import type { ResponseHead } from './response.ts'

/**
 * Asks with the login that the server wants, which it is told once it has asked, or at once where the URL has a password. What served
 * serves the later requests of the same retrieval. Rejects with auth-required or auth-failed.
 */
export function withLogin(
  plan: HttpPlan,
  context: RetrievalContext,
  converse: (asking: Asking, logins: Logins) => Promise<Answer>,
): Ask {
  const proxy = forwarder(plan, context)
  const proxyLogin = proxy && proxyAuthorization(proxy)
  let authorization = basicFromPlan(plan, context)
  const ask: Ask = (asking) => converse(asking, { authorization, proxyAuthorization: proxyLogin })
  return async (asking) => {
    const first = await ask(asking)
    if (first.head.status !== 401) return first
    await discard(first.body, context)
    if (authorization !== null) throw loginRefused(first.head, context)
    authorization = await basicFromAsking(plan, context, first.head.field('www-authenticate') ?? '')
    const second = await ask(asking)
    if (second.head.status !== 401) return second
    await discard(second.body, context)
    throw loginRefused(second.head, context)
  }
}

function loginRefused({ status, reply }: ResponseHead, context: RetrievalContext): Error {
  const message = `The server refused the user or password; check them. (${reply})`
  return context.error('auth-failed', message, { status, reply, phase: 'login' })
}
