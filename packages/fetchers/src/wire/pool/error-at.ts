import type { RetrievalError } from '@retriever/core'
import type { RetrievalContext } from '../../contract/fetcher.ts'
import { messageWithoutUrl } from '../../kit/text/message-without-url.ts'

/** The error of another URL, for the URL of this context. Its message begins with `before`. */
export function errorAt({ error: make }: RetrievalContext, error: RetrievalError, before = ''): RetrievalError {
  const { code, phase, transient, reply, advice } = error
  return make(code, `${before}${messageWithoutUrl(error)}`, {
    phase,
    transient,
    cause: error,
    ...(advice !== undefined && { advice }),
    ...(reply !== undefined && { reply }),
  })
}
