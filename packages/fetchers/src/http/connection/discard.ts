import { octetsToText } from '@retriever/core'
import type { RetrievalContext } from '../../plugin/fetcher.ts'

/** A redirect's or an error's body is read away so that the connection can serve again, but not for longer than this. */
const discardMilliseconds = 1000

/** Reads a body away, if that is quickly done; else its connection goes. */
export async function discard(body: AsyncIterable<Uint8Array>, context: RetrievalContext): Promise<void> {
  await readBriefly(body, context, () => {})
}

/** The first KiB of an error's body as text, or as much of it as comes soon; the rest is discarded. */
export async function readExcerpt(body: AsyncIterable<Uint8Array>, context: RetrievalContext): Promise<string> {
  let excerpt = Buffer.alloc(0)
  await readBriefly(body, context, (chunk) => {
    const missing = 1024 - excerpt.length
    if (missing > 0) excerpt = Buffer.concat([excerpt, chunk.subarray(0, missing)])
  })
  return octetsToText(excerpt.toString('latin1'))
}

async function readBriefly(
  body: AsyncIterable<Uint8Array>,
  { limits }: RetrievalContext,
  take: (chunk: Uint8Array) => void,
): Promise<void> {
  const octets = body[Symbol.asyncIterator]()
  const giveUp = (): void => void octets.return?.()
  const timer = setTimeout(giveUp, discardMilliseconds)
  try {
    let length = 0
    for (let next = await octets.next(); !next.done; next = await octets.next()) {
      take(next.value)
      length += next.value.length
      if (length > limits.maxReply) return giveUp()
    }
  } catch {
    // Broken off: nobody wants it.
  } finally {
    clearTimeout(timer)
  }
}
