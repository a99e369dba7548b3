import type { NntpPlan } from '@retriever/core'
import type { Fetcher, RetrievalContext, Retrieved } from '../fetcher.ts'
import { invalidOption } from '../limits.ts'
import { retrieveArticle } from './article.ts'
import { retrieveGroup } from './group.ts'
import { retrieveGroups } from './groups.ts'
import { NntpSession, type ServerPlan } from './session.ts'

export interface NntpOptions {
  /** A newsgroup is listed by its newest articles, at most so many; default 1000. */
  readonly maxArticles?: number
}

/** Network news over NNTP (RFC 3977, and RFC 977 servers): articles, newsgroups as listings, lists of newsgroups. */
export function nntpFetcher(options: NntpOptions = {}): Fetcher<'nntp'> {
  const { maxArticles = 1000 } = options
  if (!(maxArticles >= 1)) throw invalidOption('maxArticles', 'a number of 1 or more', maxArticles)
  return {
    mechanism: 'nntp',
    async retrieve(plan, context) {
      const session = await NntpSession.open(checkPlan(plan, context), context)
      try {
        return await select(session, plan as ServerPlan, context, maxArticles)
      } catch (error) {
        session.close()
        throw error
      }
    },
  }
}

function checkPlan(plan: NntpPlan, context: RetrievalContext): ServerPlan {
  if (context.request.range !== undefined) {
    throw context.error('range-refused', 'NNTP sends no parts of an article; retrieve the whole.', { phase: 'policy' })
  }
  if (plan.host !== null) return plan as ServerPlan
  const message = 'The URL names no news server. Name one by --news-server, NNTPSERVER or defaults.newsServer.'
  throw context.error('no-server', message, { phase: 'resolve' })
}

function select(
  session: NntpSession,
  plan: ServerPlan,
  context: RetrievalContext,
  maxArticles: number,
): Promise<Retrieved> {
  switch (plan.select) {
    case 'article':
    case 'message':
      return retrieveArticle(session, plan, context)
    case 'group':
      return retrieveGroup(session, plan, context, maxArticles)
    case 'groups':
      return retrieveGroups(session, plan, context)
  }
}
