import type { HttpPlan } from '@retriever/core'
import { readChallenges } from '../auth/challenge.ts'
import type { RetrievalContext } from '../plugin/fetcher.ts'
import { proxyAuthenticator } from '../wire/proxy/http-connect.ts'
import { discard } from './connection/discard.ts'
import { forwarder } from './connection/forward.ts'
import type { Answer, RangeRequest, SendRequest } from './exchange.ts'
import { type Logins, methodOf } from './request.ts'
import { ServerLogin } from './server-login.ts'

/**
 * Asks with the login that the server wants, which it is told once it has asked, or at once where the URL has a
 * password; and with the proxy's own. What served serves the later requests of the same retrieval. Rejects with
 * auth-required or auth-failed, or gives the answer that says so where the caller wants to see it
 * (RequestOptions.fail).
 */
export function withLogin(
  plan: HttpPlan,
  context: RetrievalContext,
  converse: (asking: RangeRequest, logins: Logins) => Promise<Answer>,
): SendRequest {
  const server = new ServerLogin(plan, context)
  // Where no proxy was asked, it knows no login: 407 from a server is an answer as any (security.md case 80).
  const forwarding = proxyAuthenticator(forwarder(plan, context))
  const method = methodOf(context.request)
  return async (asking) => {
    const attempt = server.begin()
    const forwarded = forwarding.begin()
    while (true) {
      const answer = await converse(asking, {
        authorization: attempt.credentials(method, plan.target),
        proxyAuthorization: forwarded.credentials(method, plan.target),
      })
      const { head, body } = answer
      if (head.status === 401) {
        const failure = await server.answerChallenge(attempt, answer)
        if (failure !== null && context.request.fail === false) return answer
        if (failure !== null) throw failure
      } else if (head.status !== 407) {
        if (head.status < 400) server.accepted()
        return answer
      }
      if (head.status === 407 && !forwarded.retry(readChallenges(head.field('proxy-authenticate') ?? ''))) return answer
      await discard(body, context)
    }
  }
}
