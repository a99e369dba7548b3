import { RetrievalError } from '@retriever/core'

/** Whether Redis has answered with an error that does not pass, such as OOM. */
function isRefusal(error: unknown): error is Error {
  return (
    error instanceof Error && error.name === 'ReplyError' && !/^(LOADING|MASTERDOWN|TRYAGAIN|BUSY)/.test(error.message)
  )
}

/** An error that Redis has answered becomes `server-refused`; any other stays. */
export function ofRefusal(error: unknown): unknown {
  if (!isRefusal(error)) return error
  const reason = error.message.replace(/\.$/, '')
  const message = `Redis refuses a command of this queue: ${reason}.`
  return new RetrievalError('server-refused', message, { phase: 'request', cause: error })
}

/** Resolves as the action does, and rejects in our words. */
export async function toldInWords<T>(action: () => Promise<T>): Promise<T> {
  try {
    return await action()
  } catch (error) {
    throw ofRefusal(error)
  }
}
