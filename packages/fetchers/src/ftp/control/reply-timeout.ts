import type { RetrievalContext } from '../../plugin/fetcher.ts'

/**
 * Waits for a reply, but not for so long that the deadline would end the retrieval: there is another way to go on. Rejects with
 * `receive-failed` and these words after `milliseconds`, or half the idle timeout where that is less.
 */
export function withReplyTimeout<T>(
  context: RetrievalContext,
  pending: Promise<T>,
  milliseconds: number,
  words: string,
): Promise<T> {
  return new Promise((resolve, reject) => {
    const limit = Math.min(milliseconds, context.limits.idleTimeout / 2)
    const timer = setTimeout(() => reject(context.error('receive-failed', words)), limit)
    pending.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}
