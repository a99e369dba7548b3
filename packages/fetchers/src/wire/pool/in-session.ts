import { RetrievalError } from '@retriever/core'
import type { RetrievalContext } from '../../contract/fetcher.ts'
import type { LoginTarget } from './pool-key.ts'
import type { Lease, ReusableSession, SessionPool } from './session-pool.ts'

/**
 * Runs a function in a session of a pool. If it fails, the session is given back; otherwise whoever has the result does
 * that. If a session that has served others turns out to be lost, as idle ones may be at any time, the function is run
 * again in another one. That ends: each round removes a session that has served some retrieval.
 */
export async function inSession<Session extends ReusableSession, Plan extends LoginTarget, Quirks, T>(
  pool: SessionPool<Session, Plan, Quirks>,
  plan: Plan,
  context: RetrievalContext,
  use: (lease: Lease<Session>) => Promise<T>,
  isFresh: boolean = false,
): Promise<T> {
  while (true) {
    const lease = await pool.lease(plan, context, isFresh)
    try {
      const result = await use(lease)
      // A listener of the last event may have ended the retrieval: then nobody reads its body.
      context.deadline.throwIfAborted()
      return result
    } catch (error) {
      const { served } = lease.session
      const isViolation = RetrievalError.is(error) && error.code === 'protocol-violation'
      if (isViolation) lease.drop()
      lease.giveBack()
      context.deadline.throwIfAborted()
      const isLost = RetrievalError.is(error) && error.code === 'receive-failed'
      if (!isLost || served === 0) throw error
      context.emit({ type: 'retried', url: context.url, error, delay: 0 })
    }
  }
}
