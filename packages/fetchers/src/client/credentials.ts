import { RetrievalError } from '@retriever/core'
import type { Deadline } from '../plugin/deadline.ts'
import type { AcceptedLogins, Challenge, Credentials } from '../plugin/fetcher.ts'

/** The caller's function `credentials`, or its substitute. */
export type CredentialsSource = (challenge: Challenge) => Promise<Credentials | BearerToken | null>

/** A token in place of user and password, for a server that takes one (Challenge.token). */
export interface BearerToken {
  readonly token: string
}

/**
 * Asks for a login. A person may take their time, so only totalTimeout runs, and only the end of the retrieval ends the
 * wait. The answer is checked here, and never shown in an error: it may be a password in the wrong place.
 */
export async function askCredentials(
  source: CredentialsSource,
  challenge: Challenge,
  deadline: Deadline,
): Promise<Credentials | null> {
  const answer: unknown = await deadline
    .unlimited(() => source(challenge))
    .catch((cause) => {
      throw RetrievalError.is(cause) ? cause : failed('auth-required', 'The credentials function threw.', cause)
    })
  if (answer === null || isCredentials(answer)) return answer
  if (!isBearerToken(answer)) throw failed('invalid-option', expectation)
  return challenge.token === true ? { user: '', password: '', token: answer.token } : null
}

const expectation =
  'Expected `credentials` to give { user, password }, two strings, { token }, or null; an account is a string too.'

/** RFC 6750 2.1: b64token. */
function isBearerToken(answer: unknown): answer is BearerToken {
  const { token } = Object(answer) as Partial<BearerToken>
  return typeof token === 'string' && /^[\w.~+/-]+=*$/.test(token)
}

function isCredentials(answer: unknown): answer is Credentials {
  const { user, password, account = '' } = Object(answer) as Partial<Record<keyof Credentials, unknown>>
  return [user, password, account].every((value) => typeof value === 'string')
}

function failed(code: 'auth-required' | 'invalid-option', message: string, cause?: unknown): RetrievalError {
  return new RetrievalError(code, message, { phase: 'login', cause })
}

/** Beyond this number, the oldest login is forgotten. */
const maxPlaces = 1000

/** The accepted logins. They are kept in memory until the client is closed or the server refuses them. */
export class LoginMemory implements AcceptedLogins {
  readonly #accepted = new Map<string, Credentials>()

  recall(place: string): Credentials | null {
    return this.#accepted.get(place) ?? null
  }

  keep(place: string, credentials: Credentials): void {
    this.#accepted.set(place, credentials)
    const first = this.#accepted.keys().next().value
    if (this.#accepted.size > maxPlaces && first !== undefined) this.#accepted.delete(first)
  }

  forget(place: string): void {
    this.#accepted.delete(place)
  }

  clear(): void {
    this.#accepted.clear()
  }
}
