import { resumePoint } from '../../kit/request-options.ts'
import type { Step } from './hop.ts'

/** Tries again after an error that may pass: the caller has received nothing yet. */
export const retry: Step = async (hop, next) => {
  const { retrieval, context } = hop
  while (true) {
    try {
      return await next(hop)
    } catch (error) {
      retrieval.deadline.throwIfAborted()
      const offset = resumePoint(retrieval.request)?.offset
      if (!(await retrieval.retries.again(error, context, offset))) throw retrieval.retries.final(error)
      retrieval.stopwatch.again('retried')
      hop.context = context
      hop.attempt++
    }
  }
}
