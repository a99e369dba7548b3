import { printable, RetrievalError } from '@retriever/core'
import type { ByteSource } from '../../../contract/byte-source.ts'
import type { Retrieved } from '../../../contract/fetcher.ts'
import { sourceOf } from '../../../kit/byte-source.ts'
import type { FormData } from './answers.ts'

/**
 * Sends a form and reads the answer. No failure is transient, not even while the form is sent: another try would submit
 * the form again, and only the person may decide that (RFC 9110 9.2.2 says the same of methods that are not
 * idempotent).
 */
export async function submitForm(
  { secrets }: FormData,
  submit: () => Promise<Retrieved<'gopher'>>,
): Promise<Retrieved<'gopher'>> {
  try {
    const retrieved = await submit()
    return { ...retrieved, body: once(sourceOf(retrieved.body), secrets) }
  } catch (error) {
    throw final(error, secrets)
  }
}

function once(body: ByteSource, secrets: readonly string[]): ByteSource {
  return {
    async read() {
      try {
        return await body.read()
      } catch (error) {
        throw final(error, secrets)
      }
    },
    cancel: () => body.cancel(),
  }
}

/** Makes the same error not transient, and masks the secrets that the server repeats. */
function final(error: unknown, secrets: readonly string[]): unknown {
  if (!RetrievalError.is(error)) return error
  // Replies are shown in printable form, so secrets are masked in that form, too.
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
