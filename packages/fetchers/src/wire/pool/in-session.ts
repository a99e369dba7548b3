import { RetrievalError } from '@retriever/core'
import type { RetrievalContext } from '../../contract/fetcher.ts'
import type { LoginTarget } from './pool-key.ts'
import type { Lease, ReusableSession, SessionPool } from './session-pool.ts'

/**
 * Runs a function in a session of a pool. If it fails, the session is given back; if it succeeds, the caller gives it
 * back. An idle session may be lost at any time, so the function runs again in another one if a session that has served
 * others turns out to be lost. That ends: each round removes such a session.
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
      // A listener of the last event may have ended the retrieval. Nobody would then read its body.
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
