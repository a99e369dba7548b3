import type { AuthChallenge } from './challenge.ts'
import { DigestLogin, strongestDigest } from './digest.ts'

/** One octet a character. */
export interface UserAndPassword {
  readonly user: string
  readonly password: string
}

/** What stands in the field Authorization or Proxy-Authorization of a request. */
export interface Login {
  credentials(method: string, uri: string): string
}

/** RFC 7617 2, of octets; no `:` may stand in the user. */
export function basicLogin({ user, password }: UserAndPassword): Login {
  const value = `Basic ${Buffer.from(`${user}:${password}`, 'latin1').toString('base64')}`
  return { credentials: () => value }
}

/** How we log in at one server or proxy, request after request. */
export class Authenticator {
  readonly #known: UserAndPassword | null
  #login: Login | null
  #isRenewed = false

  /** What is known before anybody asks goes out by Basic at once. */
  constructor(known: UserAndPassword | null) {
    this.#known = known
    this.#login = known && basicLogin(known)
  }

  get hasLogin(): boolean {
    return this.#login !== null
  }

  take(login: Login): void {
    this.#login = login
  }

  /** For each request anew: digests count. Null: there is no login. */
  credentials(method: string, uri: string): string | null {
    return this.#login?.credentials(method, uri) ?? null
  }

  /** Before a request that may be sent several times. */
  begin(): void {
    this.#isRenewed = false
  }

  /**
   * Whether to try again after a refusal: what went out by Basic, which was not asked for, by Digest; and a digest once with a new
   * nonce, where it was but the old one that was wrong (RFC 7616 3.3, stale). Nothing else, so that no server keeps us asking.
   */
  retry(challenges: readonly AuthChallenge[]): boolean {
    const offer = strongestDigest(challenges)
    if (offer === null) return false
    if (this.#login instanceof DigestLogin) {
      if (!offer.isStale || this.#isRenewed) return false
      this.#isRenewed = true
      this.#login = this.#login.renewed(offer)
      return true
    }
    if (this.#known === null || challenges.some(({ scheme }) => scheme === 'basic')) return false
    this.#login = new DigestLogin(offer, this.#known)
    return true
  }
}
