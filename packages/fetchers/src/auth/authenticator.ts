import type { AuthChallenge } from './challenge.ts'
import { DigestLogin, type DigestOffer, strongestDigest } from './digest.ts'
import { basicLogin, type Login, type UserAndPassword } from './login.ts'

/** Keeps the login at one server or proxy for several requests. */
export class Authenticator {
  readonly #known: UserAndPassword | null
  readonly #isDigestOnly: boolean
  #login: Login | null

  /** A login that is known beforehand goes by Basic with the first request, unless the caller wants only Digest. */
  constructor(known: UserAndPassword | null, isDigestOnly = false) {
    this.#known = known
    this.#isDigestOnly = isDigestOnly
    this.#login = known === null || isDigestOnly ? null : basicLogin(known)
  }

  get login(): Login | null {
    return this.#login
  }

  use(login: Login): void {
    this.#login = login
  }

  /** Begins the login of one request. Others may be under way. */
  begin(): LoginAttempt {
    return new LoginAttempt(this)
  }

  /** Switches to Digest or to a new nonce. Returns false if neither is possible. */
  tryDigest(offer: DigestOffer, challenges: readonly AuthChallenge[]): boolean {
    if (this.#login instanceof DigestLogin) {
      if (offer.isStale) this.#login = this.#login.renewed(offer)
      return offer.isStale
    }
    const wasSent = !this.#isDigestOnly && challenges.some(({ scheme }) => scheme === 'basic')
    if (this.#known === null || wasSent) return false
    this.#login = new DigestLogin(offer, this.#known)
    return true
  }
}

/** The login of one request, which may be sent several times. */
export class LoginAttempt {
  readonly #authenticator: Authenticator
  #sent: Login | null = null
  #isRenewed = false

  constructor(authenticator: Authenticator) {
    this.#authenticator = authenticator
  }

  /** Makes the credentials; null if there is no login. Call it for each sending, since a digest counts the requests. */
  credentials(method: string, uri: string): string | null {
    this.#sent = this.#authenticator.login
    return this.#sent?.credentials(method, uri) ?? null
  }

  /**
   * Whether to send the request again after a refusal: once by Digest if it went by Basic beforehand, and once with a
   * new nonce if only the old nonce was wrong (RFC 7616 3.3, stale). More would let a server demand it without end.
   */
  retry(challenges: readonly AuthChallenge[]): boolean {
    const offer = strongestDigest(challenges)
    if (offer === null) return false
    if (this.#sent instanceof DigestLogin) {
      if (this.#isRenewed || !offer.isStale) return false
      this.#isRenewed = true
      // Another request has got a new nonce in the meantime.
      if (this.#authenticator.login !== this.#sent) return true
    }
    return this.#authenticator.tryDigest(offer, challenges)
  }
}
