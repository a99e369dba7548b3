import { adviceText } from '@retriever/core/internal'
import type { RetrievalContext } from '../../../contract/fetcher.ts'

/**
 * Yields the text of an index while it arrives, one octet a character. Rejects with `limit-exceeded` past
 * limits.maxListing.
 */
export async function* indexText(
  body: AsyncIterable<Uint8Array>,
  { limits: { maxListing }, error }: RetrievalContext,
): AsyncGenerator<string, void, void> {
  let total = 0
  for await (const chunk of body) {
    total += chunk.length
    if (total > maxListing) {
      const advice = { option: 'limits.maxListing' } as const
      const message = `The index is over ${maxListing} octets, which is ${adviceText(advice)}.`
      throw error('limit-exceeded', message, { phase: 'body', advice })
    }
    yield octetsOf(chunk)
  }
}

/** Returns octets as text, one a character. */
export function octetsOf(chunk: Uint8Array): string {
  return Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length).toString('latin1')
}
