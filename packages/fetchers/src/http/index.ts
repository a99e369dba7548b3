import type { HttpPlan } from '@retriever/core'
import type { Fetcher, Outcome, RetrievalContext } from '../fetcher.ts'
import { converse } from './converse.ts'
import { listed } from './index-page.ts'
import { withLogin } from './login.ts'
import { outcomeOf } from './outcome.ts'
import { Pool } from './pool.ts'

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
  const ask = withLogin(plan, context, (asking, logins) => converse(pool, plan, context, asking, logins))
  const { range } = context.request
  const answer = await ask(range === undefined ? {} : { range })
  const outcome = await outcomeOf(answer, context)
  return outcome.outcome === 'retrieved' ? listed(outcome, plan, context) : outcome
}
