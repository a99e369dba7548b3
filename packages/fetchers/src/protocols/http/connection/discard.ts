import { octetsToText, redact } from '@retriever/core'
import type { Hide } from '../../../auth/sent-secrets.ts'
import type { ByteSource } from '../../../contract/byte-source.ts'
import type { RetrievalContext } from '../../../contract/fetcher.ts'

/** How many milliseconds the body of a redirect or an error is read, so that the connection can serve again. */
const discardMilliseconds = 1000

/** Reads a body to its end if that is fast, and otherwise closes its connection. */
export async function discard(body: ByteSource, context: RetrievalContext): Promise<void> {
  await readBriefly(body, context, () => {})
}

/** Returns the first KiB of an error's body as text without secrets, or as much as comes soon. Discards the rest. */
export async function readExcerpt(body: ByteSource, hide: Hide, context: RetrievalContext): Promise<string> {
  let excerpt = Buffer.alloc(0)
  await readBriefly(body, context, (chunk) => {
    const missing = 1024 - excerpt.length
    if (missing > 0) excerpt = Buffer.concat([excerpt, chunk.subarray(0, missing)])
  })
  // Many error pages repeat the URL, with the tokens in its query; others repeat the request's header fields.
  return redact(octetsToText(hide(excerpt.toString('latin1')))).replace(repeatedField, '$1<password>')
}

/**
 * Matches a field with a login or cookies in a page: `Cookie: a=1`, `"authorization": "Bearer x"`, `authorization=Basic
 * x`.
 */
const repeatedField = /((?:authorization|cookie)["']?\s{0,4}[:=]\s{0,4}["'[]{0,2})[^"'\r\n<>\]]+/gi

async function readBriefly(
  body: ByteSource,
  { limits }: RetrievalContext,
  onChunk: (chunk: Uint8Array) => void,
): Promise<void> {
  const giveUp = (): void => void body.cancel().catch(() => {})
  const timer = setTimeout(giveUp, discardMilliseconds)
  try {
    let length = 0
    for (let chunk = await body.read(); chunk !== null; chunk = await body.read()) {
      onChunk(chunk)
      length += chunk.length
      if (length > limits.maxReply) return giveUp()
    }
  } catch {
    // The body broke off. That does not matter, since nobody needs it.
  } finally {
    clearTimeout(timer)
  }
}
