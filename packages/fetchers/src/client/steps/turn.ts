import type { Resolution } from '@retriever/core'
import type { RetryTurn } from '../../kit/retry.ts'
import type { Step } from './hop.ts'

/** The place of a retrieval at a server. Each try needs one, and no wait between two tries keeps one. */
export interface Turn extends RetryTurn {
  /** True: the server was given up, so there is no further try. */
  readonly isRefused: boolean
  /** Waits for a place at the server of this URL. Null: the retrieval has it. */
  come(to: Resolution): Promise<void> | null
  answered(): void
}

/** Takes a place at the server for one try. A redirect or a gateway may lead to another server. */
export const turn: Step = async (hop, next) => {
  const { turn } = hop.retrieval
  if (turn === undefined) return next(hop)
  const coming = turn.come(hop.resolution)
  if (coming !== null) await coming
  try {
    const outcome = await next(hop)
    turn.answered()
    return outcome
  } catch (error) {
    turn.failed(error, hop.context.limits)
    throw error
  }
}
