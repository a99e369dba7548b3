import type { RetrievalError } from '@retriever/core'
import type { FtpPlan } from '@retriever/core/internal'
import type { FoundLogin } from '../../auth/found-login.ts'
import type { Credentials, RetrievalContext } from '../../contract/fetcher.ts'
import type { FtpSession } from './control/session.ts'

/** Logins that are not in the URL, kept for another try. Null: not needed yet. */
export interface AskedLogins {
  login: FoundLogin | null
  account: FoundLogin | null
  /** A login that the server accepted before and now refuses, and the error that says so. */
  refused: { readonly credentials: Credentials; readonly error: RetrievalError } | null
}

/** One retrieval in one session. */
export interface FtpRetrieval {
  readonly plan: FtpPlan
  readonly context: RetrievalContext
  readonly session: FtpSession
  readonly asked: AskedLogins
  /** Gives the session back, after every command is answered. */
  done(): void
  /** Closes the session, because a reply or data were not read. */
  drop(): void
}
