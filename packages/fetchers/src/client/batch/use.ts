import { RetrievalError } from '@retriever/core'
import type { Representation } from '../../body/representation.ts'
import { invalidOption } from '../../kit/limits.ts'
import type { BatchUse } from './batch.ts'
import type { BatchOutcome, BatchPlace, MapOutcome } from './outcome.ts'

/** Gives representations to the caller, who reads them. */
export function lend<Key>(keeps: boolean): BatchUse<BatchOutcome<Key>, Key> {
  return {
    isLent: true,
    keeps,
    retrieved: (place, representation) => ({ ...place, representation, error: null }),
    failed: (place, error) => ({ ...place, representation: null, error: retrievalError(error) }),
  }
}

/** Gives the values that a function makes of representations. Bodies that it leaves unread are cancelled. */
export function map<Value, Key>(
  use: (representation: Representation, place: BatchPlace<Key>) => Value | Promise<Value>,
): BatchUse<MapOutcome<Value, Key>, Key> {
  if (typeof use !== 'function') throw invalidOption('use', 'a function', use)
  return {
    isLent: false,
    keeps: false,
    async retrieved(place, representation) {
      try {
        return { ...place, value: await use(representation, place), error: null }
      } finally {
        await representation.cancel()
      }
    },
    failed: (place, error) => ({ ...place, value: null, error: anyError(error) }),
  }
}

function anyError(error: unknown): Error {
  return error instanceof Error ? error : new Error(`mapAll: the function threw ${String(error)}.`, { cause: error })
}

/** A client throws RetrievalErrors only. */
function retrievalError(cause: unknown): RetrievalError {
  if (RetrievalError.is(cause)) return cause
  return new RetrievalError('receive-failed', `Unexpected error (${String(cause)}); please report it.`, {
    phase: 'request',
    cause,
  })
}
