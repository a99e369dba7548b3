import type { FtpPlan } from '@retriever/core'
import type { Credentials, RetrievalContext } from '../plugin/fetcher.ts'
import type { FtpSession } from './control/session.ts'

/** What every step of a retrieval needs: what is to be done, and the session in which it is said. */
export interface FtpRetrieval {
  readonly plan: FtpPlan
  readonly context: RetrievalContext
  readonly session: FtpSession
  /** Who the caller has said to be, for when it must be said again. */
  readonly asked: { login: Credentials | null }
  /** All has been said and answered: the session is free for another retrieval. */
  done(): void
  /** Something is left unsaid or unread: the session is closed. */
  drop(): void
}
