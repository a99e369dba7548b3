import { resumePoint } from '../../kit/request-options.ts'
import { withStateOf } from '../batch/server-state.ts'
import type { Retrieval } from '../retrieval.ts'
import type { HopContext } from './context.ts'
import type { Step } from './hop.ts'

/** Tries again after an error that may pass: the caller has received nothing yet. */
export const retry: Step = async (hop, next) => {
  const { retrieval, context } = hop
  while (true) {
    try {
      return await next(hop)
    } catch (error) {
      retrieval.deadline.throwIfAborted()
      if (!(await mayTryAgain(retrieval, context, error))) throw withStateOf(error, retrieval.retries.final(error))
      retrieval.stopwatch.again('retried')
      hop.context = context
      hop.attempt++
    }
  }
}

/** `context` is that of the whole retrieval, since the one of the try is over. */
async function mayTryAgain(retrieval: Retrieval, context: HopContext, error: unknown): Promise<boolean> {
  const { turn, retries } = retrieval
  if (turn?.isRefused === true) return false
  return retries.again(error, context, resumePoint(retrieval.request)?.offset)
}
