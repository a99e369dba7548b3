import type { FtpPlan } from '@retriever/core'
import type { RetrievalContext } from '../fetcher.ts'
import type { Control } from './control.ts'

/** What every step of a retrieval needs: what is to be done, and the connection on which it is said. */
export interface Dialogue {
  readonly plan: FtpPlan
  readonly context: RetrievalContext
  readonly control: Control
  /** False: PASV is asked for at once, for firewalls that choke on EPSV. */
  readonly epsv: boolean
}
