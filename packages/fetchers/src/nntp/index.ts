import { adviceText, type NntpPlan } from '@retriever/core'
import type { Fetcher, RetrievalContext, Retrieved } from '../plugin/fetcher.ts'
import { checkOptions, count, type OptionKind } from '../plugin/options.ts'
import { retrieveArticle } from './article.ts'
import type { Dialogue } from './connection/exchange.ts'
import { type InSession, NntpPool } from './connection/pool.ts'
import { maxDepth } from './connection/server-quirks.ts'
import type { ServerPlan } from './connection/session.ts'
import { retrieveGroup } from './group/group.ts'
import { retrieveGroups } from './group/groups.ts'

export interface NntpOptions {
  /** A newsgroup is listed by its newest articles, at most so many where the request has no `limit`. Default 1000. */
  readonly maxArticles?: number
  /**
   * To one server at a time. Retrievals beyond them share them: an answer comes once those before it are read or left.
   * Default 4.
   */
  readonly connections?: number
}

const optionKinds: Readonly<Record<keyof NntpOptions, OptionKind>> = { maxArticles: count, connections: count }

/**
 * Network news over NNTP (RFC 3977, and RFC 977 servers): articles, newsgroups as listings, lists of newsgroups. Sessions are kept for
 * a few seconds, and take many commands at a time.
 */
export function nntpFetcher(options: NntpOptions = {}): Fetcher<'nntp'> {
  checkOptions(options, optionKinds, 'nntpFetcher.')
  const { maxArticles = 1000, connections = 4 } = options
  const pool = new NntpPool(connections)
  return {
    mechanism: 'nntp',
    inFlight: maxDepth,
    async retrieve(plan, context) {
      const server = checkPlan(plan, context)
      const inSession: InSession = (use) => pool.inSession(server, context, use)
      return inSession((dialogue) => select(dialogue, inSession, maxArticles))
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

function select(dialogue: Dialogue, inSession: InSession, maxArticles: number): Promise<Retrieved> {
  switch (dialogue.plan.select) {
    case 'article':
    case 'message':
      return retrieveArticle(dialogue, inSession)
    case 'group':
      return retrieveGroup(dialogue, maxArticles)
    case 'groups':
      return retrieveGroups(dialogue, inSession)
  }
}
