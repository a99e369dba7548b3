import type { Challenge, Credentials, RetrievalContext } from '../contract/fetcher.ts'

type Asking = Pick<RetrievalContext, 'acceptedLogins' | 'credentials' | 'deadline'>

/**
 * A login that is not in the URL: one that the place accepted before, or the caller's answer. If a retrieval asked for
 * the login, it must call accepted(), refused() or end(), because others wait for this.
 */
export class FoundLogin {
  readonly credentials: Credentials
  /** True if the place accepted this login before. A refusal then means that the password was changed there. */
  readonly isRemembered: boolean
  readonly #place: string
  readonly #context: Asking
  readonly #release: () => void
  readonly #unlink: () => void

  constructor(place: string, credentials: Credentials, context: Asking, release: (() => void) | null) {
    this.#place = place
    this.#context = context
    this.#release = release ?? (() => {})
    this.credentials = credentials
    this.isRemembered = release === null
    this.#unlink = context.deadline.onAbort(() => this.end())
  }

  /** Remembers the login for all later retrievals of the client at this place. */
  accepted(): void {
    if (!this.isRemembered) this.#context.acceptedLogins?.keep(this.#place, this.credentials)
    this.end()
  }

  /** Forgets the login, because the server refuses it. */
  refused(): void {
    this.#context.acceptedLogins?.forget(this.#place, this.credentials)
    this.end()
  }

  /** Lets the next retrieval ask, if this one ended before the server judged the login. */
  end(): void {
    this.#unlink()
    this.#release()
  }
}

/**
 * Finds the login for a place: one that the place accepted before, or the caller's answer to the challenge. If several
 * retrievals look for the same login, one asks, and the others wait until its login has been tried; if the login fails,
 * the next of them asks. Returns null if none is known, or only `refused`, which the server has just refused.
 */
export async function findLogin(
  context: Asking,
  place: string,
  challenge: Challenge,
  refused: Credentials | null = null,
): Promise<FoundLogin | null> {
  const { acceptedLogins, deadline } = context
  while (true) {
    const known = acceptedLogins?.recall(place) ?? null
    if (known !== null && !isSame(known, refused)) return new FoundLogin(place, known, context, null)
    const release = acceptedLogins === undefined ? () => {} : acceptedLogins.claim(place)
    if (release !== null) return ask(context, place, challenge, refused, release)
    await deadline.unlimited(async () => acceptedLogins?.claimed(place))
  }
}

async function ask(
  context: Asking,
  place: string,
  challenge: Challenge,
  refused: Credentials | null,
  release: () => void,
): Promise<FoundLogin | null> {
  let found: FoundLogin | null = null
  try {
    const credentials = await context.credentials(challenge)
    if (credentials !== null && !isSame(credentials, refused)) {
      found = new FoundLogin(place, credentials, context, release)
    }
    return found
  } finally {
    if (found === null) release()
  }
}

/** Names a place by the origin, the URL's user, and `more`, by which the protocol tells logins apart. */
export function loginPlace(url: string, { host, port, user }: Challenge, more: string): string {
  return JSON.stringify([url.slice(0, url.indexOf(':')).toLowerCase(), host, port, user, more])
}

function isSame(one: Credentials, other: Credentials | null): boolean {
  return other !== null && one.user === other.user && one.password === other.password && one.token === other.token
}
