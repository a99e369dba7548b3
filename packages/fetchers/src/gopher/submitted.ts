import { RetrievalError } from '@retriever/core'
import type { Retrieved } from '../fetcher.ts'

/**
 * What comes after a form was sent. Nothing of it is transient: to try again would be to submit again, which only the person may want
 * to (RFC 9110 9.2.2 says the same of methods that are not idempotent).
 */
export async function submitted(answer: Promise<Retrieved>): Promise<Retrieved> {
  try {
    const retrieved = await answer
    return { ...retrieved, body: once(retrieved.body) }
  } catch (error) {
    throw final(error)
  }
}

async function* once(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array, void, void> {
  try {
    yield* body
  } catch (error) {
    throw final(error)
  }
}

function final(error: unknown): unknown {
  if (!RetrievalError.is(error) || !error.transient) return error
  const { code, message, phase, url, reply, cause } = error
  const said = `${message} The form had been sent: it may have been received.`
  return new RetrievalError(code, said, {
    phase,
    ...(url !== undefined && { url }),
    ...(reply !== undefined && { reply }),
    cause,
  })
}
