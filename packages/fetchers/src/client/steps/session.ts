import { RetrievalError } from '@retriever/core'
import type { Session, SessionOptions } from '../../contract/session.ts'
import { noSession } from '../service.ts'
import { cookies } from './cookies.ts'
import { composed, type Hop, type Next } from './hop.ts'
import { login } from './login.ts'
import { policy } from './policy.ts'
import { route } from './route.ts'

/** The steps of a session with a service: it is not tried again, and no server redirects it. */
export function openSession(hop: Hop, options: SessionOptions): Promise<Session> {
  const { retrieval, resolution, context } = hop
  const open: Next<Session> = async ({ fetcher, routed, proxy }) => {
    if (fetcher?.connect === undefined) throw noSession(resolution, context)
    const session = await fetcher.connect(routed, { ...context, proxy }, options)
    session.once('close', () => {
      const { errored } = session
      retrieval.done(RetrievalError.is(errored) ? errored : null, session.received, context)
    })
    return session
  }
  return composed([policy, cookies, login, route], open)(hop)
}
