import { RetrievalError } from '@retriever/core'
import type { Retrieved } from '../fetcher.ts'
import type { FormData } from './answers.ts'

/**
 * What comes after a form was sent. Nothing of it is transient: to try again would be to submit again, which only the person may want
 * to (RFC 9110 9.2.2 says the same of methods that are not idempotent).
 */
export async function submitted({ secrets }: FormData, answer: Promise<Retrieved>): Promise<Retrieved> {
  try {
    const retrieved = await answer
    return { ...retrieved, body: once(retrieved.body, secrets) }
  } catch (error) {
    throw final(error, secrets)
  }
}

async function* once(
  body: AsyncIterable<Uint8Array>,
  secrets: readonly string[],
): AsyncGenerator<Uint8Array, void, void> {
  try {
    yield* body
  } catch (error) {
    throw final(error, secrets)
  }
}

/** The same error, without the secrets that the server repeats. */
function final(error: unknown, secrets: readonly string[]): unknown {
  if (!RetrievalError.is(error)) return error
  const blot = (text: string): string => secrets.reduce((shown, secret) => shown.replaceAll(secret, '<password>'), text)
  const { code, message, transient, phase, url, reply, cause } = error
  const said = transient ? `${message} The form had been sent: it may have been received.` : message
  return new RetrievalError(code, blot(said), {
    phase,
    ...(url !== undefined && { url }),
    ...(reply !== undefined && { reply: blot(reply) }),
    cause,
  })
}
