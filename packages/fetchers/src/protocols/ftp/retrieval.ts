import type { FtpPlan, RetrievalError } from '@retriever/core'
import type { FoundLogin } from '../../auth/found-login.ts'
import type { Credentials, RetrievalContext } from '../../contract/fetcher.ts'
import type { FtpSession } from './control/session.ts'

/** The logins that the URL does not give, kept for another try; null: not needed yet. */
export interface AskedLogins {
  login: FoundLogin | null
  account: FoundLogin | null
  /** The login that the server has accepted before and refuses now, and the error that says so. */
  refused: { readonly credentials: Credentials; readonly error: RetrievalError } | null
}

/** One retrieval in one session, as every step needs it. */
export interface FtpRetrieval {
  readonly plan: FtpPlan
  readonly context: RetrievalContext
  readonly session: FtpSession
  readonly asked: AskedLogins
  /** Gives the session back: every command is answered. */
  done(): void
  /** Closes the session: a reply or data are left unread. */
  drop(): void
}
