import { RetrievalError } from '@retriever/core'
import { adviceText, type HttpPlan, utf8Octets } from '@retriever/core/internal'
import { Authenticator, type LoginAttempt } from '../../auth/authenticator.ts'
import { type AuthChallenge, readChallenges } from '../../auth/challenge.ts'
import { type FoundLogin, findLogin, loginPlace } from '../../auth/found-login.ts'
import type { UserAndPassword } from '../../auth/login.ts'
import type { Challenge, Credentials, RequestOptions, RetrievalContext } from '../../contract/fetcher.ts'
import { givesField } from '../../kit/request-options.ts'
import { proxyAuthenticator } from '../../wire/proxy/http-connect.ts'
import { askCredentials, checkBasicUser } from './ask-credentials.ts'
import { discard, readExcerpt } from './connection/discard.ts'
import type { Answer, RangeRequest, SendRequest } from './exchange.ts'
import { forwarder, type Logins, methodOf } from './request.ts'
import { shownFields } from './response.ts'

/**
 * Sends requests with a login for the server and that of the proxy. The server's login is sent after the server asks
 * for one, or at once if the URL or the caller gives one. If it is accepted, later requests of the same retrieval have
 * it, too. Rejects with auth-required or auth-failed, or resolves to the answer that says so if RequestOptions.fail is
 * false.
 */
export function withLogin(
  plan: HttpPlan,
  context: RetrievalContext,
  send: (request: RangeRequest, logins: Logins) => Promise<Answer>,
): SendRequest {
  const server = new ServerLogin(plan, context)
  // If there is no proxy, there is no proxy login. A server's 407 is then an ordinary error (threats.md case 80:
  // secrets that were not to be asked for).
  const proxy = proxyAuthenticator(forwarder(plan, context))
  const method = methodOf(context.request)
  return async (request) => {
    const serverLogin = server.begin()
    const proxyLogin = proxy.begin()
    try {
      while (true) {
        const answer = await send(request, {
          authorization: serverLogin.credentials(method, plan.target),
          proxyAuthorization: proxyLogin.credentials(method, plan.target),
        })
        const { head, body } = answer
        if (head.status === 401) {
          const failure = await server.answerChallenge(serverLogin, answer)
          if (failure !== null && context.request.http?.fail === false) return answer
          if (failure !== null) throw failure
        } else if (head.status !== 407) {
          if (showsLogin(head.status)) server.accepted()
          return answer
        }
        if (head.status === 407 && !proxyLogin.retry(readChallenges(head.field('proxy-authenticate') ?? '')))
          return answer
        await discard(body, context)
      }
    } finally {
      server.end()
    }
  }
}

/**
 * Whether an answer other than 401 shows that the login was accepted. 404 and 410 do, since the server wanted a login
 * before it said so.
 */
function showsLogin(status: number): boolean {
  return status < 400 || status === 404 || status === 410
}

/**
 * The login of one retrieval at its server: RequestOptions.login, user and password of the URL, credentials that the
 * server accepted from this client before, or those that ClientOptions.credentials gives when it is asked.
 */
class ServerLogin {
  readonly #plan: HttpPlan
  readonly #context: RetrievalContext
  readonly #authenticator: Authenticator
  /** The login, if it does not come from the URL. */
  #found: FoundLogin | null = null

  /** Throws `refused` if Basic cannot send the user. */
  constructor(plan: HttpPlan, context: RetrievalContext) {
    const known = loginOf(plan, context.request)
    const isDigestOnly = context.request.digest === true
    if (known !== null && !isDigestOnly) checkBasicUser(known.user, context)
    this.#plan = plan
    this.#context = context
    this.#authenticator = new Authenticator(known, isDigestOnly)
  }

  begin(): LoginAttempt {
    return this.#authenticator.begin()
  }

  /** Remembers that the server has accepted the login. */
  accepted(): void {
    this.#found?.accepted()
  }

  /** Lets others at this place ask for a login, if this retrieval asked and its login was not accepted. */
  end(): void {
    this.#found?.end()
  }

  /**
   * Finds a login for another request after a 401. Returns null if there is one, else the error with an excerpt of the
   * body.
   */
  async answerChallenge(requestLogin: LoginAttempt, { head, body }: Answer): Promise<RetrievalError | null> {
    const context = this.#context
    const { status, reply } = head
    const excerpt = context.request.http?.fail === false ? '' : await readExcerpt(body, head.hide, context)
    const details = { status, reply, response: { headers: shownFields(head), excerpt }, phase: 'login' } as const
    if (givesField(context.request, 'authorization')) {
      const advice = { option: 'headers', value: 'Authorization' } as const
      const message = `The server refused the login given by ${adviceText(advice)}; check it. (${reply})`
      return context.error('auth-failed', message, { ...details, advice })
    }
    const challenges = readChallenges(head.field('www-authenticate') ?? '')
    if (requestLogin.retry(challenges)) return null
    const wrong = (): RetrievalError => {
      const message = `The server refused the user or password, or the token; check them. (${reply})`
      return context.error('auth-failed', message, details)
    }
    const refused = this.#forgetRefused()
    const wasSent = this.#authenticator.login !== null && refused === null
    if (wasSent && takesPassword(challenges)) return wrong()
    try {
      const find = (challenge: Challenge, protection: string) =>
        wasSent ? Promise.resolve(null) : this.#find(challenge, protection, refused)
      const login = await askCredentials(this.#plan, context, challenges, details, find)
      if (RetrievalError.is(login)) return refused === null ? login : wrong()
      this.#authenticator.use(login)
      return null
    } catch (error) {
      await discard(body, context)
      throw error
    }
  }

  /** Forgets remembered credentials that the server now refuses, and returns them. Returns null if none were sent. */
  #forgetRefused(): Credentials | null {
    const found = this.#found
    if (found === null || !found.isRemembered) return null
    found.refused()
    this.#found = null
    return found.credentials
  }

  async #find(challenge: Challenge, protection: string, refused: Credentials | null): Promise<Credentials | null> {
    const place = loginPlace(this.#context.url, challenge, protection)
    // Credentials that were just refused are not sent again.
    this.#found = await findLogin(this.#context, place, challenge, refused)
    return this.#found?.credentials ?? null
  }
}

/** Whether the server refused the password itself, not the scheme by which it was sent. */
function takesPassword(challenges: readonly AuthChallenge[]): boolean {
  return challenges.length === 0 || challenges.some(({ scheme }) => scheme === 'basic' || scheme === 'digest')
}

/**
 * Returns the login of the caller or of the URL. Null if user or password is missing: the login then waits until the
 * server asks for it.
 */
function loginOf({ user, password }: HttpPlan, { login }: RequestOptions): UserAndPassword | null {
  if (login !== undefined) return { user: utf8Octets(login.user), password: utf8Octets(login.password) }
  return user === null || password === null ? null : { user, password }
}
