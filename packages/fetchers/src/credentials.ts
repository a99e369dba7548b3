import { RetrievalError } from '@retriever/core'
import type { Deadline } from './deadline.ts'
import type { Challenge, Credentials } from './fetcher.ts'

/** Who may know a login: the caller's function, or what stands in for it. */
export type CredentialsSource = (challenge: Challenge) => Promise<Credentials | null>

/**
 * Asks for a login. A person may take their time, so no limit runs but the total; only the end of the retrieval ends the wait.
 * What comes is checked here, and never shown: it may be a password, if in the wrong place.
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
  throw failed('invalid-option', expectation)
}

const expectation =
  'Expected `credentials` to give { user, password }, two strings, or null; an account beside them is a string too.'

function isCredentials(answer: unknown): answer is Credentials {
  const { user, password, account = '' } = Object(answer) as Partial<Record<keyof Credentials, unknown>>
  return [user, password, account].every((value) => typeof value === 'string')
}

function failed(code: 'auth-required' | 'invalid-option', message: string, cause?: unknown): RetrievalError {
  return new RetrievalError(code, message, { phase: 'login', cause })
}
