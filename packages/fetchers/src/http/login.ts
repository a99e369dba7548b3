import { type HttpPlan, RetrievalError } from '@retriever/core'
import type { RetrievalContext } from '../fetcher.ts'
import { type Attempt, Authenticator, type UserAndPassword } from '../wire/authenticator.ts'
import { readChallenges } from '../wire/challenge.ts'
import { proxyAuthenticator } from '../wire/http-connect.ts'
import { givesField } from '../wishes.ts'
import { askLogin, checkBasicUser } from './asked-login.ts'
import type { Answer, Ask, Asking } from './asking.ts'
import { discard, readExcerpt } from './discard.ts'
import { forwarder } from './forward.ts'
import { type Logins, methodOf } from './request.ts'
import { shownFields } from './response.ts'

/**
 * Asks with the login that the server wants, which it is told once it has asked, or at once where the URL has a
 * password; and with the proxy's own. What served serves the later requests of the same retrieval. Rejects with
 * auth-required or auth-failed, or gives the answer that says so where the caller wants to see it
 * (RequestOptions.fail).
 */
export function withLogin(
  plan: HttpPlan,
  context: RetrievalContext,
  converse: (asking: Asking, logins: Logins) => Promise<Answer>,
): Ask {
  const known = loginOf(plan)
  if (known !== null) checkBasicUser(known.user, context)
  const server = new Authenticator(known)
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
        const failure = await meet(server, attempt, answer, plan, context)
        if (failure !== null && context.request.fail === false) return answer
        if (failure !== null) throw failure
      } else if (head.status !== 407) return answer
      else if (!forwarded.retry(readChallenges(head.field('proxy-authenticate') ?? ''))) return answer
      await discard(body, context)
    }
  }
}

/**
 * Finds what to say to a 401; null: it is found. Of the body, an excerpt is read for the error, if there is to be one.
 */
async function meet(
  server: Authenticator,
  attempt: Attempt,
  { head, body }: Answer,
  plan: HttpPlan,
  context: RetrievalContext,
): Promise<RetrievalError | null> {
  const { status, reply } = head
  const excerpt = context.request.fail === false ? '' : await readExcerpt(body, context)
  const details = { status, reply, response: { headers: shownFields(head), excerpt }, phase: 'login' } as const
  if (givesField(context.request, 'authorization')) {
    const message = `The server refused the Authorization field of your own; check it. (${reply})`
    return context.error('auth-failed', message, details)
  }
  const challenges = readChallenges(head.field('www-authenticate') ?? '')
  if (attempt.retry(challenges)) return null
  if (server.login !== null) {
    const message = `The server refused the user or password, or the token; check them. (${reply})`
    return context.error('auth-failed', message, details)
  }
  try {
    const login = await askLogin(plan, context, challenges, details)
    if (RetrievalError.is(login)) return login
    server.take(login)
    return null
  } catch (error) {
    await discard(body, context)
    throw error
  }
}

/** Null where a part of it is missing, which the URL's server is waited for to ask for. */
function loginOf({ user, password }: HttpPlan): UserAndPassword | null {
  return user === null || password === null ? null : { user, password }
}
