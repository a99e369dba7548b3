import type { Challenge, Credentials, RetrievalContext } from '../contract/fetcher.ts'

type Asking = Pick<RetrievalContext, 'acceptedLogins' | 'credentials' | 'deadline'>

/**
 * A login that the URL does not give: one that the place has accepted before, or the caller's answer. A retrieval that
 * has asked for it must call accepted(), refused() or end(), because the others at this place wait for that.
 */
export class FoundLogin {
  readonly credentials: Credentials
  /** True: the place has accepted it before, so that a refusal means that it has changed there. */
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

  /** Notes that the server has accepted it, for all later retrievals of the client at this place. */
  accepted(): void {
    if (!this.isRemembered) this.#context.acceptedLogins?.keep(this.#place, this.credentials)
    this.end()
  }

  /** Forgets it: the server refuses it. */
  refused(): void {
    this.#context.acceptedLogins?.forget(this.#place, this.credentials)
    this.end()
  }

  /** Lets the next retrieval ask, if this one has neither succeeded nor failed at the login itself. */
  end(): void {
    this.#unlink()
    this.#release()
  }
}

/**
 * Finds the login for a place: the one that it has accepted, or the caller's answer to the challenge. Retrievals that
 * look for the same one at a time ask once: the others wait until the first one's login has been tried. If that fails,
 * the next of them asks. Null: none is known, or only `refused`, which the server has refused just now.
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

/** The name of a place: the origin, the URL's user, and `more`, by which the protocol tells logins apart. */
export function loginPlace(url: string, { host, port, user }: Challenge, more: string): string {
  return JSON.stringify([url.slice(0, url.indexOf(':')).toLowerCase(), host, port, user, more])
}

function isSame(one: Credentials, other: Credentials | null): boolean {
  return other !== null && one.user === other.user && one.password === other.password && one.token === other.token
}
