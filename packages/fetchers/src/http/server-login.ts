import { adviceText, type HttpPlan, RetrievalError } from '@retriever/core'
import { type Attempt, Authenticator, type UserAndPassword } from '../auth/authenticator.ts'
import { readChallenges } from '../auth/challenge.ts'
import type { Challenge, Credentials, RetrievalContext } from '../plugin/fetcher.ts'
import { givesField } from '../plugin/request-options.ts'
import { askCredentials, checkBasicUser } from './ask-credentials.ts'
import { discard, readExcerpt } from './connection/discard.ts'
import type { Answer } from './exchange.ts'
import { shownFields } from './response.ts'

/** Credentials that the URL did not give. */
interface Found {
  readonly credentials: Credentials
  /** Where they are remembered, once the server has accepted them. */
  readonly place: string
  readonly isRemembered: boolean
}

/**
 * How one retrieval logs in at its server: by user and password of the URL, by what the server has accepted from this
 * client before, or by what whoever may know answers, who is asked once.
 */
export class ServerLogin {
  readonly #plan: HttpPlan
  readonly #context: RetrievalContext
  readonly #authenticator: Authenticator
  #found: Found | null = null

  /** Throws `refused` for a user that Basic cannot send. */
  constructor(plan: HttpPlan, context: RetrievalContext) {
    const known = loginOf(plan)
    if (known !== null) checkBasicUser(known.user, context)
    this.#plan = plan
    this.#context = context
    this.#authenticator = new Authenticator(known)
  }

  begin(): Attempt {
    return this.#authenticator.begin()
  }

  /** The server has answered something else than a refusal. */
  accepted(): void {
    const found = this.#found
    if (found !== null && !found.isRemembered) this.#context.acceptedLogins?.keep(found.place, found.credentials)
  }

  /**
   * Finds what to say to a 401; null: it is found. Of the body, an excerpt is read for the error, if there is to be
   * one.
   */
  async answerChallenge(attempt: Attempt, { head, body }: Answer): Promise<RetrievalError | null> {
    const context = this.#context
    const { status, reply } = head
    const excerpt = context.request.fail === false ? '' : await readExcerpt(body, context)
    const details = { status, reply, response: { headers: shownFields(head), excerpt }, phase: 'login' } as const
    if (givesField(context.request, 'authorization')) {
      const advice = { option: 'headers', value: 'Authorization' } as const
      const message = `The server refused the login given by ${adviceText(advice)}; check it. (${reply})`
      return context.error('auth-failed', message, { ...details, advice })
    }
    const challenges = readChallenges(head.field('www-authenticate') ?? '')
    if (attempt.retry(challenges)) return null
    const wrong = (): RetrievalError => {
      const message = `The server refused the user or password, or the token; check them. (${reply})`
      return context.error('auth-failed', message, details)
    }
    const refused = this.#takeRefused()
    if (this.#authenticator.login !== null && refused === null) return wrong()
    try {
      const find = (challenge: Challenge, protection: string) => this.#find(challenge, protection, refused)
      const login = await askCredentials(this.#plan, context, challenges, details, find)
      if (RetrievalError.is(login)) return refused === null ? login : wrong()
      this.#authenticator.take(login)
      return null
    } catch (error) {
      await discard(body, context)
      throw error
    }
  }

  /** What was remembered, and is refused by now: it is forgotten. Null: there is nothing of the kind. */
  #takeRefused(): Credentials | null {
    const found = this.#found
    if (found === null || !found.isRemembered) return null
    this.#context.acceptedLogins?.forget(found.place)
    this.#found = null
    return found.credentials
  }

  async #find(challenge: Challenge, protection: string, refused: Credentials | null): Promise<Credentials | null> {
    const { acceptedLogins, url } = this.#context
    const place = JSON.stringify([schemeOf(url), challenge.host, challenge.port, challenge.user, protection])
    const remembered = refused === null ? (acceptedLogins?.recall(place) ?? null) : null
    const credentials = remembered ?? (await this.#context.credentials(challenge))
    // What was refused just now is not sent again.
    if (credentials === null || (refused !== null && isSame(credentials, refused))) return null
    this.#found = { credentials, place, isRemembered: remembered !== null }
    return credentials
  }
}

function isSame(one: Credentials, other: Credentials): boolean {
  return one.user === other.user && one.password === other.password && one.token === other.token
}

function schemeOf(url: string): string {
  return url.slice(0, url.indexOf(':')).toLowerCase()
}

/** Null where a part of it is missing, which the URL's server is waited for to ask for. */
function loginOf({ user, password }: HttpPlan): UserAndPassword | null {
  return user === null || password === null ? null : { user, password }
}
