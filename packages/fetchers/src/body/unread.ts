import type { RetrievalError } from '@retriever/core'
import type { RetrievalContext, Retrieved } from '../contract/fetcher.ts'
import { sourceOf, wholeSource } from '../kit/byte-source.ts'
import { overMaxSize } from '../kit/size-limit.ts'
import type { Body } from './body.ts'

/** Releases a body whose announced size is over limits.maxSize before the caller relies on it. Returns the error. */
export async function tooLarge({ size, body }: Retrieved, context: RetrievalContext): Promise<RetrievalError> {
  await sourceOf(body).cancel()
  return overMaxSize(context, size ?? 0)
}

/** Cancels the body unread, for a mechanism that cannot ask for metadata alone. */
export async function withoutBody(retrieved: Retrieved): Promise<Retrieved> {
  await sourceOf(retrieved.body).cancel()
  const { entries: _entries, ...metadata } = retrieved
  return { ...metadata, body: wholeSource() }
}

/**
 * Ends a body that nobody has begun to read when its representation is garbage-collected, as undici does. Otherwise its
 * connection would stay open, and its place taken, for as long as the server waits.
 */
export const forgotten: FinalizationRegistry<Body> = new FinalizationRegistry((body: Body) => {
  if (!body.taken) body.giveUp()
})
