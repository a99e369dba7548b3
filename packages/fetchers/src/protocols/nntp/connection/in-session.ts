import { RetrievalError } from '@retriever/core'
import type { RetrievalContext } from '../../../contract/fetcher.ts'
import { errorAt } from '../../../wire/pool/error-at.ts'
import type { SessionPool, SessionProtocol } from '../../../wire/pool/session-pool.ts'
import { SessionLost } from './command-queue.ts'
import type { NntpLease } from './exchange.ts'
import { openSession } from './open.ts'
import { maxDepth, type NntpQuirks } from './server-quirks.ts'
import { type NntpSession, type ServerPlan, unreadLimit } from './session.ts'

/** How often a retrieval may lose a shared session that has answered no retrieval. */
const maxLostWithOthers = 3

/** Runs a function in a session. The function gives the session back when it has all it needs. */
export type InSession = <T>(use: (dialogue: NntpLease) => Promise<T>) => Promise<T>

type NntpPool = SessionPool<NntpSession, ServerPlan, NntpQuirks>

/** Sessions are shared: each retrieval's answer comes after the answers to earlier ones. */
export const nntpSessions: SessionProtocol<NntpSession, ServerPlan, NntpQuirks> = {
  newQuirks: () => ({ depth: maxDepth, overview: 'OVER', hasListGroup: true }),
  open: openSession,
  capacity: ({ depth }) => depth,
  pick: (sessions) => sessions.find(({ refusedLogin }) => refusedLogin === null),
  isFull,
  unreadLimit,
}

/**
 * Runs a function in a session. If the session is lost after it has served others, or while others use it, the commands
 * of this retrieval are not the cause: the function runs again in another session.
 */
export async function inSession<T>(
  pool: NntpPool,
  plan: ServerPlan,
  context: RetrievalContext,
  use: (dialogue: NntpLease) => Promise<T>,
): Promise<T> {
  // If each session serves some retrieval, the tries end by themselves. Otherwise they need a limit.
  let lostWithOthers = 0
  while (true) {
    const lease = await pool.lease(plan, context)
    const { session } = lease
    try {
      const result = await use({ session, plan, context, giveBack: lease.giveBack })
      // A listener to the last reply may have ended the retrieval. Nobody would then read its body or free the session.
      context.deadline.throwIfAborted()
      return result
    } catch (error) {
      // The stream can no longer be trusted: the next answer in it may belong to another command.
      if (RetrievalError.is(error) && error.code === 'protocol-violation') session.lose()
      // If a server closes with several commands under way, it takes as many as it has answered. An abort says nothing.
      const { quirks, served } = session
      if (isLostSession(error) && context.deadline.reason === null && lease.usage.users > 1) {
        quirks.depth = Math.max(1, Math.min(quirks.depth, served))
      }
      const isToWait = isFull(error) && pool.lowerCap(plan)
      lease.giveBack()
      context.deadline.throwIfAborted()
      if (isToWait) {
        context.emit({ type: 'retried', url: context.url, error, delay: 0 })
        continue
      }
      // The retrieval whose answer was being read gets the error and counts it. Those after it are tried again for
      // free.
      if (error instanceof SessionLost) {
        // Each would be refused by a login of its own.
        if (session.full !== null && !pool.hasSessions(plan)) throw errorAt(context, session.full)
        continue
      }
      if (!isLostSession(error)) throw error
      if (session.served === 0 && (lease.usage.mostUsers === 1 || ++lostWithOthers > maxLostWithOthers)) throw error
      context.emit({ type: 'retried', url: context.url, error, delay: 0 })
    }
  }
}

/** Whether the server takes no further session: 400, or such words: `502 Too many connections`. */
function isFull(error: unknown): error is RetrievalError {
  if (!RetrievalError.is(error) || !error.transient || error.reply === undefined) return false
  return error.phase === 'greeting' || error.phase === 'login'
}

/**
 * Whether the session has ended, as it may at any time: the connection is closed, or the server said 400 (RFC 3977
 * 3.2.1).
 */
function isLostSession(error: unknown): error is RetrievalError {
  return RetrievalError.is(error) && (error.code === 'receive-failed' || error.reply?.startsWith('400') === true)
}
