import { type AccessPlans, adviceText, octetsToText, printable, utf8Octets } from '@retriever/core'
import { type AuthChallenge, readChallenges } from '../auth/challenge.ts'
import { DigestLogin, strongestDigest } from '../auth/digest.ts'
import { type FoundLogin, findLogin, loginPlace } from '../auth/found-login.ts'
import { basicLogin, type Login, type UserAndPassword } from '../auth/login.ts'
import type { RetrievalContext } from '../plugin/fetcher.ts'
import type { Answer } from './answer.ts'

/**
 * The login of one retrieval (RFC 2326 D.1), by Digest or Basic, once the server asks for it: that of the URL, one that
 * the server has accepted before, or that of ClientOptions.credentials.
 */
export class ServerLogin {
  readonly #plan: AccessPlans['rtsp']
  readonly #context: RetrievalContext
  #login: Login | null = null
  #found: FoundLogin | null = null
  #isRenewed = false

  constructor(plan: AccessPlans['rtsp'], context: RetrievalContext) {
    this.#plan = plan
    this.#context = context
  }

  /** The value of Authorization for one more request; null: there is no login yet. */
  authorization(): string | null {
    return this.#login?.credentials('DESCRIBE', this.#plan.target) ?? null
  }

  /** Finds a login for another request after a 401. Throws `auth-required` and `auth-failed`. */
  async answer({ status, reply, fields }: Answer): Promise<void> {
    const details = { status, reply, phase: 'login' } as const
    const challenges = readChallenges(fields.get('www-authenticate') ?? '')
    if (this.#login !== null) {
      const offer = strongestDigest(challenges)
      if (this.#login instanceof DigestLogin && offer?.isStale === true && !this.#isRenewed) {
        this.#isRenewed = true
        this.#login = this.#login.renewed(offer)
        return
      }
      this.#found?.refused()
      const message = `The server refused the user or password; check them. (${reply})`
      throw this.#context.error('auth-failed', message, details)
    }
    const login = await this.#known(challenges)
    if (login !== null) {
      this.#login = this.#loginBy(challenges, login)
      if (this.#login !== null) return
      const message = `The server wants a login that is not supported; Basic and Digest are. (${reply})`
      throw this.#context.error('auth-required', message, details)
    }
    const advice = { option: 'credentials' } as const
    const message = `The server wants a user and password; give them in the URL, or by ${adviceText(advice)}.`
    throw this.#context.error('auth-required', message, { ...details, advice })
  }

  /** Notes that the server has accepted the login. */
  accepted(): void {
    this.#found?.accepted()
  }

  /** Lets others at this place ask for a login. */
  end(): void {
    this.#found?.end()
  }

  async #known(challenges: readonly AuthChallenge[]): Promise<UserAndPassword | null> {
    const { host, port, user, password } = this.#plan
    if (user !== null && password !== null) return { user, password }
    const realm = strongestDigest(challenges)?.realm ?? challenges[0]?.params.get('realm')
    const challenge = {
      // It is shown to the person who is asked.
      realm: realm === undefined ? host : printable(octetsToText(realm)).slice(0, 200),
      host,
      port,
      user: user === null ? null : octetsToText(user),
    }
    const schemes = challenges.map(({ scheme }) => scheme)
    const place = loginPlace(this.#context.url, challenge, JSON.stringify([...schemes, realm ?? null]))
    this.#found = await findLogin(this.#context, place, challenge)
    if (this.#found === null) return null
    const { credentials } = this.#found
    return { user: utf8Octets(credentials.user), password: utf8Octets(credentials.password) }
  }

  #loginBy(challenges: readonly AuthChallenge[], login: UserAndPassword): Login | null {
    const offer = strongestDigest(challenges)
    if (offer !== null) return new DigestLogin(offer, login)
    if (!challenges.some(({ scheme }) => scheme === 'basic')) return null
    if (!login.user.includes(':')) return basicLogin(login)
    const message = 'Basic authentication allows no colon in the user (RFC 7617 2); use another user.'
    throw this.#context.error('refused', message, { phase: 'policy' })
  }
}
