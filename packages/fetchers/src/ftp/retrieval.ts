import type { FtpPlan } from '@retriever/core'
import type { Credentials, RetrievalContext } from '../plugin/fetcher.ts'
import type { FtpSession } from './control/session.ts'

/** One retrieval in one session, as every step needs it. */
export interface FtpRetrieval {
  readonly plan: FtpPlan
  readonly context: RetrievalContext
  readonly session: FtpSession
  /** The login that the caller gave when asked, kept for another try. */
  readonly asked: { login: Credentials | null }
  /** Gives the session back: every command is answered. */
  done(): void
  /** Closes the session: a reply or data are left unread. */
  drop(): void
}
