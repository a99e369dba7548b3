import type { HttpPlan } from '@retriever/core'
import type { Fetcher, Outcome, RetrievalContext } from '../fetcher.ts'
import { under } from '../retry.ts'
import { resumePoint } from '../wishes.ts'
import { converse } from './converse.ts'
import { withLogin } from './login.ts'
import { retrieveObject } from './object.ts'
import { Pool } from './pool.ts'
import { retrieveRest } from './resume-from.ts'
import { connectionsFor, retrieveSplit } from './split.ts'

/**
 * HTTP/1.1 (RFC 9110, RFC 9112) by undici. Connections are kept between retrievals, until dispose(). A redirect is an outcome:
 * nothing is followed here.
 */
export function httpFetcher(): Fetcher<'http'> {
  const pool = new Pool()
  return {
    mechanism: 'http',
    retrieve: (plan, context) => retrieve(pool, plan, context),
    dispose: () => pool.close(),
  }
}

async function retrieve(pool: Pool, plan: HttpPlan, context: RetrievalContext): Promise<Outcome> {
  const { request, deadline } = context
  const ask = withLogin(plan, context, (asking, logins) =>
    converse(pool, plan, under(context, asking.deadline ?? deadline), asking, logins),
  )
  const point = resumePoint(request)
  const connections = connectionsFor(request)
  // Of HEAD, Range is no part (RFC 9110 14.2).
  if (point !== undefined && point.offset > 0 && request.head !== true) return retrieveRest(ask, point, context)
  if (connections > 1) return retrieveSplit(ask, context, connections)
  return retrieveObject(ask, context, request.range)
}
