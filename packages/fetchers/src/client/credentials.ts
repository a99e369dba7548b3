import { RetrievalError } from '@retriever/core'
import type { Deadline } from '../contract/deadline.ts'
import type { AcceptedLogins, Challenge, Credentials } from '../contract/fetcher.ts'

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
  questions: Questions,
  challenge: Challenge,
  deadline: Deadline,
): Promise<Credentials | null> {
  deadline.throwIfAborted()
  const question = questions.ask(challenge)
  const answer: unknown = await deadline
    .unlimited(() => question.answer)
    .catch((cause) => {
      throw RetrievalError.is(cause) ? cause : failed('auth-required', 'The credentials function threw.', cause)
    })
  question.close()
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

/** A question that somebody may still be thinking about, or whose answer no retrieval has got yet. */
interface Question {
  readonly answer: ReturnType<CredentialsSource>
  /** Notes that a retrieval has the answer; the next one to ask the same begins anew. */
  close(): void
}

/**
 * The open questions of a client. Retrievals that have the same question meanwhile get the same answer, even if the one
 * that asked first ends before it comes.
 */
export class Questions {
  readonly #source: CredentialsSource
  readonly #open = new Map<string, Question>()

  constructor(source: CredentialsSource) {
    this.#source = source
  }

  ask(challenge: Challenge): Question {
    const key = JSON.stringify(challenge)
    const open = this.#open.get(key)
    if (open !== undefined) return open
    const close = (): void => {
      if (this.#open.get(key) === question) this.#open.delete(key)
    }
    const question: Question = { answer: this.#source(challenge), close }
    this.#open.set(key, question)
    // The retrieval that waits sees the error; this avoids an unhandledRejection if none waits any more.
    question.answer.catch(close)
    return question
  }

  clear(): void {
    this.#open.clear()
  }
}

/** Beyond this number, the oldest login is forgotten. */
const maxPlaces = 1000

interface Claim {
  readonly ended: Promise<void>
}

/** The accepted logins. They are kept in memory until the client is closed or the server refuses them. */
export class LoginMemory implements AcceptedLogins {
  readonly #accepted = new Map<string, Credentials>()
  readonly #claims = new Map<string, Claim>()

  recall(place: string): Credentials | null {
    return this.#accepted.get(place) ?? null
  }

  keep(place: string, credentials: Credentials): void {
    this.#accepted.set(place, credentials)
    const first = this.#accepted.keys().next().value
    if (this.#accepted.size > maxPlaces && first !== undefined) this.#accepted.delete(first)
  }

  forget(place: string, refused: Credentials): void {
    if (this.#accepted.get(place) === refused) this.#accepted.delete(place)
  }

  claim(place: string): (() => void) | null {
    if (this.#claims.has(place)) return null
    let end = (): void => {}
    const claim: Claim = { ended: new Promise<void>((resolve) => (end = resolve)) }
    this.#claims.set(place, claim)
    return () => {
      if (this.#claims.get(place) === claim) this.#claims.delete(place)
      end()
    }
  }

  async claimed(place: string): Promise<void> {
    await this.#claims.get(place)?.ended
  }

  clear(): void {
    this.#accepted.clear()
  }
}
