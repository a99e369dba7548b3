import { octetsToText, printable } from '@retriever/core'
import { adviceText, utf8Octets } from '@retriever/core/internal'
import type { Credentials, RetrievalContext } from '../contract/fetcher.ts'
import { givesField } from '../kit/request-options.ts'
import { Authenticator, type LoginAttempt } from './authenticator.ts'
import { type AuthChallenge, readChallenges } from './challenge.ts'
import { DigestLogin, strongestDigest } from './digest.ts'
import { type FoundLogin, findLogin, loginPlace } from './found-login.ts'
import { basicLogin, type Login, type UserAndPassword } from './login.ts'

/** What a login needs from a plan. User and password are octets, one a character. */
interface LoginPlan {
  readonly host: string
  readonly port: number
  readonly target: string
  readonly user: string | null
  readonly password: string | null
}

/** An answer in HTTP's form without its body. The fields are by lower-case name. */
interface Refusal {
  readonly status: number
  readonly reply: string
  readonly fields: ReadonlyMap<string, string>
}

/**
 * The login of one retrieval whose requests have HTTP's form (RFC 2326 D.1, RFC 6455 10.5), by Digest or Basic. It is
 * the URL's login, or once the server asks, one that the server accepted before, or that of ClientOptions.credentials.
 */
export class ServerLogin {
  readonly #plan: LoginPlan
  readonly #method: string
  readonly #context: RetrievalContext
  readonly #known: UserAndPassword | null
  readonly #attempt: LoginAttempt
  readonly #authenticator: Authenticator
  #found: FoundLogin | null = null

  /** `atOnce` is a login to send by Basic with the first request. Throws `refused` if Basic cannot send it. */
  constructor(plan: LoginPlan, method: string, context: RetrievalContext, atOnce: UserAndPassword | null = null) {
    const { user, password } = plan
    const isDigestOnly = context.request.digest === true
    this.#plan = plan
    this.#method = method
    this.#context = context
    this.#known = atOnce ?? (user === null || password === null ? null : { user, password })
    if (atOnce !== null && !isDigestOnly) this.#checkBasic(atOnce)
    this.#authenticator = new Authenticator(atOnce, isDigestOnly)
    this.#attempt = this.#authenticator.begin()
  }

  /** The password of the URL or the caller, which a request may have sent. Null: there is none. */
  get password(): string | null {
    return this.#known?.password ?? null
  }

  /** Makes the value of Authorization for one more request. Returns null if there is no login yet. */
  authorization(): string | null {
    return this.#attempt.credentials(this.#method, this.#plan.target)
  }

  /** Finds a login for another request after a 401. Throws `auth-required` and `auth-failed`. */
  async answer({ status, reply, fields }: Refusal): Promise<void> {
    const details = { status, reply, phase: 'login' } as const
    if (givesField(this.#context.request, 'authorization')) {
      const advice = { option: 'headers', value: 'Authorization' } as const
      const message = `The server refused the login given by ${adviceText(advice)}; check it. (${reply})`
      throw this.#context.error('auth-failed', message, { ...details, advice })
    }
    const challenges = readChallenges(fields.get('www-authenticate') ?? '')
    if (this.#attempt.retry(challenges)) return
    const refused = this.#authenticator.login !== null
    this.#found?.refused()
    // If the server accepted the login before, somebody has changed the password since, and the caller may know it.
    const stale = this.#found?.isRemembered === true ? this.#found.credentials : null
    const login = refused && stale === null ? null : await this.#find(challenges, stale)
    if (refused && login === null) {
      const message = `The server refused the user or password; check them. (${reply})`
      throw this.#context.error('auth-failed', message, details)
    }
    if (login !== null) {
      const chosen = this.#loginBy(challenges, login)
      if (chosen !== null) return this.#authenticator.use(chosen)
      const message = `The server wants a login that is not supported; Basic and Digest are. (${reply})`
      throw this.#context.error('auth-required', message, details)
    }
    const advice = { option: 'credentials' } as const
    const message = `The server wants a user and password; give them in the URL, or by ${adviceText(advice)}.`
    throw this.#context.error('auth-required', message, { ...details, advice })
  }

  /** Remembers that the server has accepted the login. */
  accepted(): void {
    this.#found?.accepted()
  }

  /** Lets other retrievals at this place ask for a login. */
  end(): void {
    this.#found?.end()
  }

  async #find(challenges: readonly AuthChallenge[], refused: Credentials | null): Promise<UserAndPassword | null> {
    if (this.#known !== null) return this.#known
    const { host, port, user } = this.#plan
    const realm = strongestDigest(challenges)?.realm ?? challenges[0]?.params.get('realm')
    const challenge = {
      // The person who is asked sees the realm.
      realm: realm === undefined ? host : printable(octetsToText(realm)).slice(0, 200),
      host,
      port,
      user: user === null ? null : octetsToText(user),
    }
    const schemes = challenges.map(({ scheme }) => scheme)
    const place = loginPlace(this.#context.url, challenge, JSON.stringify([...schemes, realm ?? null]))
    this.#found = await findLogin(this.#context, place, challenge, refused)
    if (this.#found === null) return null
    const { credentials } = this.#found
    return { user: utf8Octets(credentials.user), password: utf8Octets(credentials.password) }
  }

  #loginBy(challenges: readonly AuthChallenge[], login: UserAndPassword): Login | null {
    const offer = strongestDigest(challenges)
    if (offer !== null) return new DigestLogin(offer, login)
    const isBasic = challenges.some(({ scheme }) => scheme === 'basic')
    if (!isBasic || this.#context.request.digest === true) return null
    this.#checkBasic(login)
    return basicLogin(login)
  }

  #checkBasic({ user }: UserAndPassword): void {
    if (!user.includes(':')) return
    const message = 'Basic authentication allows no colon in the user (RFC 7617 2); use another user.'
    throw this.#context.error('refused', message, { phase: 'policy' })
  }
}
