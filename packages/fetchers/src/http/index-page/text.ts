import type { RetrievalContext } from '../../plugin/fetcher.ts'

/** An index as it comes, one octet a character. Rejects with `limit-exceeded` past limits.maxListing. */
export async function* indexText(
  body: AsyncIterable<Uint8Array>,
  { limits: { maxListing }, error }: RetrievalContext,
): AsyncGenerator<string, void, void> {
  let total = 0
  for await (const chunk of body) {
    total += chunk.length
    if (total > maxListing) {
      throw error(
        'limit-exceeded',
        `The index is over ${maxListing} octets, the limit of maxListing or maxCollected.`,
        {
          phase: 'body',
        },
      )
    }
    yield octetsOf(chunk)
  }
}

/** The octets, one a character. */
export function octetsOf(chunk: Uint8Array): string {
  return Buffer.from(chunk.buffer, chunk.byteOffset, chunk.length).toString('latin1')
}
