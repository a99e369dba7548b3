import { setTimeout } from 'node:timers/promises'
import { RetrievalError } from '@retriever/core'
import { throwIfAborted } from '../walk/walk.ts'

/**
 * Saves a file. If a run was killed while it took the lock of the partial file, the lock does not tell whether that
 * process still runs. In this case it tries again once the lock has become too old.
 */
export async function whenUnlocked<T>(signal: AbortSignal, save: () => Promise<T>): Promise<T> {
  try {
    return await save()
  } catch (error) {
    if (!RetrievalError.is(error) || error.code !== 'write-failed' || error.retryAfter === undefined) throw error
    await setTimeout(error.retryAfter, undefined, { signal }).catch(() => throwIfAborted(signal))
    return save()
  }
}
