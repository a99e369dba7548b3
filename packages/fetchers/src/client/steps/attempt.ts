import { withDeadline } from '../../kit/deadline.ts'
import type { Step } from './hop.ts'

/** Gives one try a deadline of its own: the limit of a phase ends the try, and not the retrieval. */
export const attempt: Step = async (hop, next) => {
  const { retrieval } = hop
  const deadline = retrieval.deadline.attempt(undefined, hop.context.limits)
  hop.context = withDeadline(hop.context, deadline)
  try {
    const outcome = await next(hop)
    if (outcome.outcome !== 'retrieved') deadline.end()
    return outcome
  } catch (error) {
    deadline.end()
    retrieval.endNested()
    throw error
  }
}
