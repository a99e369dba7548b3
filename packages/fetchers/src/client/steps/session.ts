import { RetrievalError } from '@retriever/core'
import type { Session, SessionOptions } from '../../contract/session.ts'
import { noSession } from '../service.ts'
import type { Hop } from './hop.ts'
import { policy } from './policy.ts'
import { route } from './route.ts'

/** The steps of a session with a service: it is not tried again, and no server redirects it. */
export function openSession(first: Hop, options: SessionOptions): Promise<Session> {
  const { retrieval, resolution, context } = first
  return policy(first, (hop) =>
    route(hop, async ({ fetcher, routed, proxy }) => {
      if (fetcher?.connect === undefined) throw noSession(resolution, context)
      const session = await fetcher.connect(routed, { ...context, proxy }, options)
      session.once('close', () => {
        const { errored } = session
        retrieval.done(RetrievalError.is(errored) ? errored : null, session.received, context)
      })
      return session
    }),
  )
}
