import type { AuthChallenge } from './challenge.ts'
import { DigestLogin, type DigestOffer, strongestDigest } from './digest.ts'
import { basicLogin, type Login, type UserAndPassword } from './login.ts'

/** How we log in at one server or proxy, request after request. */
export class Authenticator {
  readonly #known: UserAndPassword | null
  #login: Login | null

  /** What is known before anybody asks goes out by Basic at once. */
  constructor(known: UserAndPassword | null) {
    this.#known = known
    this.#login = known && basicLogin(known)
  }

  get login(): Login | null {
    return this.#login
  }

  take(login: Login): void {
    this.#login = login
  }

  /** For one request, beside which others may be under way. */
  begin(): Attempt {
    return new Attempt(this)
  }

  /** Whether there is another way than the present login. */
  improve(offer: DigestOffer, challenges: readonly AuthChallenge[]): boolean {
    if (this.#login instanceof DigestLogin) {
      if (offer.isStale) this.#login = this.#login.renewed(offer)
      return offer.isStale
    }
    if (this.#known === null || challenges.some(({ scheme }) => scheme === 'basic')) return false
    this.#login = new DigestLogin(offer, this.#known)
    return true
  }
}

/** One request, which may be sent several times. */
export class Attempt {
  readonly #authenticator: Authenticator
  #sent: Login | null = null
  #isRenewed = false

  constructor(authenticator: Authenticator) {
    this.#authenticator = authenticator
  }

  /** For each sending anew: digests count. Null: there is no login. */
  credentials(method: string, uri: string): string | null {
    this.#sent = this.#authenticator.login
    return this.#sent?.credentials(method, uri) ?? null
  }

  /**
   * Whether to try again after a refusal: what went out by Basic, which was not asked for, by Digest; and a digest once
   * with a new nonce, where it was but the old one that was wrong (RFC 7616 3.3, stale). Nothing else, so that no
   * server keeps us asking.
   */
  retry(challenges: readonly AuthChallenge[]): boolean {
    const offer = strongestDigest(challenges)
    if (offer === null) return false
    if (this.#sent instanceof DigestLogin) {
      if (this.#isRenewed || !offer.isStale) return false
      this.#isRenewed = true
      // Another request was told of a new nonce before.
      if (this.#authenticator.login !== this.#sent) return true
    }
    return this.#authenticator.improve(offer, challenges)
  }
}
