import type { Deadline } from './deadline.ts'
import type { RetrievalContext } from './fetcher.ts'

/** The same context with another deadline: that of one try, or of several connections together. */
export function withDeadline(context: RetrievalContext, deadline: Deadline): RetrievalContext {
  return {
    ...context,
    deadline,
    error: (code, message, extras) => context.error(code, message, { phase: deadline.phase, ...extras }),
  }
}
