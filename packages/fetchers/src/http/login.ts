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
 * Sends requests with a login for the server, once it has asked for one, or at once if the URL has a password, and with
 * the login of the proxy. A login that was accepted serves the later requests of the same retrieval. Rejects with
 * auth-required or auth-failed, or resolves to the answer that says so if RequestOptions.fail is false.
 */
export function withLogin(
  plan: HttpPlan,
  context: RetrievalContext,
  send: (request: RangeRequest, logins: Logins) => Promise<Answer>,
): SendRequest {
  const server = new ServerLogin(plan, context)
  // Without a proxy it has no login: 407 from a server is an error like others (security.md case 80: secrets that were
  // not to be asked for).
  const proxy = proxyAuthenticator(forwarder(plan, context))
  const method = methodOf(context.request)
  return async (request) => {
    const serverLogin = server.begin()
    const proxyLogin = proxy.begin()
    while (true) {
      const answer = await send(request, {
        authorization: serverLogin.credentials(method, plan.target),
        proxyAuthorization: proxyLogin.credentials(method, plan.target),
      })
      const { head, body } = answer
      if (head.status === 401) {
        const failure = await server.answerChallenge(serverLogin, answer)
        if (failure !== null && context.request.fail === false) return answer
        if (failure !== null) throw failure
      } else if (head.status !== 407) {
        if (head.status < 400) server.accepted()
        return answer
      }
      if (head.status === 407 && !proxyLogin.retry(readChallenges(head.field('proxy-authenticate') ?? '')))
        return answer
      await discard(body, context)
    }
  }
}
