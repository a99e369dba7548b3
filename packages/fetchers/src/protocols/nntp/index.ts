import { adviceText, type NntpPlan } from '@retriever/core/internal'
import type { Fetcher, RetrievalContext, Retrieved } from '../../contract/fetcher.ts'
import { checkOptions, count, type OptionKind } from '../../kit/options.ts'
import { SessionPool } from '../../wire/pool/session-pool.ts'
import { nntp } from './about.ts'
import { retrieveArticle } from './article.ts'
import type { NntpLease } from './connection/exchange.ts'
import { type InSession, inSession, nntpSessions } from './connection/in-session.ts'
import type { ServerPlan } from './connection/session.ts'
import { overviewEntries, retrieveGroup } from './group/group.ts'
import { groupEntries, retrieveGroups } from './group/groups.ts'

export interface NntpOptions {
  /** How many of a newsgroup's newest articles are listed if the request has no `limit`. Default 1000. */
  readonly maxArticles?: number
  /**
   * How many connections to one server may be open. Further retrievals share them: an answer comes after those before
   * it are read or cancelled. Default 4.
   */
  readonly connections?: number
}

const optionKinds: Readonly<Record<keyof NntpOptions, OptionKind>> = { maxArticles: count, connections: count }

/**
 * Makes a fetcher for network news over NNTP (RFC 3977, and RFC 977 servers): articles, newsgroups and lists of
 * newsgroups. It keeps sessions for a few seconds, and sends many commands at a time.
 */
export function nntpFetcher(options: NntpOptions = {}): Fetcher<'nntp'> {
  checkOptions(options, optionKinds, 'nntpFetcher.')
  const { maxArticles = 1000, connections } = options
  const pool = new SessionPool(nntpSessions, connections)
  return {
    ...nntp,
    async retrieve(plan, context) {
      const server = checkPlan(plan, context)
      const inThisOrAnother: InSession = (use) => inSession(pool, server, context, use)
      return inThisOrAnother((lease) => select(lease, inThisOrAnother, maxArticles))
    },
    async reread(answer, plan, context) {
      if (plan.host === null || (plan.select !== 'group' && plan.select !== 'groups')) return answer
      const server = plan as ServerPlan
      const isGroup = plan.select === 'group'
      const entries = isGroup ? overviewEntries(server, context, null) : groupEntries(server, context)
      return { ...answer, kind: 'listing', entries }
    },
    dispose: async () => pool.close(),
  }
}

function checkPlan(plan: NntpPlan, context: RetrievalContext): ServerPlan {
  if (context.request.range !== undefined) {
    throw context.error('range-refused', 'NNTP sends no parts of an article; retrieve the whole.', { phase: 'policy' })
  }
  if (plan.host !== null) return plan as ServerPlan
  const advice = { option: 'defaults.newsServer' } as const
  const message = `The URL names no news server. Name one by ${adviceText(advice)}.`
  throw context.error('no-server', message, { phase: 'resolve', advice })
}

function select(lease: NntpLease, inSession: InSession, maxArticles: number): Promise<Retrieved<'nntp'>> {
  switch (lease.plan.select) {
    case 'article':
    case 'message':
      return retrieveArticle(lease, inSession)
    case 'group':
      return retrieveGroup(lease, maxArticles)
    case 'groups':
      return retrieveGroups(lease, inSession)
  }
}
