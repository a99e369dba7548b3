import { RetrievalError } from '@retriever/core'

/** The RetrievalError with which a retrieval ends. */
export async function failure(promise: Promise<unknown>): Promise<RetrievalError> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (!RetrievalError.is(error)) throw new Error(`Expected a RetrievalError, got ${String(error)}`)
  return error
}
