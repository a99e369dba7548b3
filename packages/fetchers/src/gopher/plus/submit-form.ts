import { printable, RetrievalError } from '@retriever/core'
import type { Retrieved } from '../../plugin/fetcher.ts'
import type { FormData } from './answers.ts'

/**
 * Sends a form, and what comes of it. No failure is transient, not even within the sending: to try again would be to submit again, which
 * only the person may want to (RFC 9110 9.2.2 says the same of methods that are not idempotent).
 */
export async function submitForm({ secrets }: FormData, submit: () => Promise<Retrieved>): Promise<Retrieved> {
  try {
    const retrieved = await submit()
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
  // Replies are told in printable form.
  const shown = secrets.flatMap((secret) => [secret, printable(secret)])
  const blot = (text: string): string =>
    shown.reduce((blotted, secret) => blotted.replaceAll(secret, '<password>'), text)
  const { code, message, transient, phase, url, reply, advice, cause } = error
  const said = transient ? `${message} The form had been sent: it may have been received.` : message
  return new RetrievalError(code, blot(said), {
    phase,
    ...(url !== undefined && { url }),
    ...(reply !== undefined && { reply: blot(reply) }),
    ...(advice !== undefined && { advice }),
    cause,
  })
}
