import { setTimeout } from 'node:timers/promises'
import { RetrievalError } from '@retriever/core'
import { throwIfAborted } from '../walk/walk.ts'

/**
 * Saves a file. If a run was killed just when it took the lock of the part, the lock does not tell whether its process
 * still runs. It is tried again when the lock has become too old.
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
