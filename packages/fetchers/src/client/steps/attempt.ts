import { withDeadline } from '../../kit/deadline.ts'
import { outerIsOver } from '../nested.ts'
import type { Step } from './hop.ts'

/**
 * Gives one try a deadline of its own: the limit of a phase ends the try, and not the retrieval. If the try fails, what
 * its fetcher still retrieves ends with it; other tries of the same retrieval, which a caller's step may have begun
 * beside it, go on.
 */
export const attempt: Step = async (hop, next) => {
  const { retrieval, resolution } = hop
  const deadline = retrieval.deadline.attempt(undefined, hop.context.limits)
  hop.context = withDeadline(hop.context, deadline)
  hop.context.retrieve = (url, options) => retrieval.within(resolution, url, options, deadline)
  try {
    const outcome = await next(hop)
    if (outcome.outcome !== 'retrieved') deadline.end()
    return outcome
  } catch (error) {
    deadline.fail(outerIsOver())
    throw error
  }
}
