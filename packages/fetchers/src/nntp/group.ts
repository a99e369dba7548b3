import type { RetrievalContext, Retrieved } from '../fetcher.ts'
import { emptyBody } from '../wire/empty-body.ts'
import { linesOf } from '../wire/lines.ts'
import { expectReply, replyWords } from '../wire/reply.ts'
import { textListing } from '../wire/text-listing.ts'
import { overviewEntry } from './overview.ts'
import { refused } from './refused.ts'
import type { NntpSession, ServerPlan } from './session.ts'

/** What GROUP answers (RFC 3977 6.1.1): an estimate of how many articles there are, and their numbers' bounds. */
interface GroupSummary {
  readonly count: number
  readonly low: number
  readonly high: number
}

/** A newsgroup: the overview of its newest articles (RFC 3977 8.3), one line each, fields between TABs. */
export async function retrieveGroup(
  session: NntpSession,
  plan: ServerPlan,
  context: RetrievalContext,
  maxArticles: number,
): Promise<Retrieved> {
  const group = await selectGroup(session, plan, context)
  const first = Math.max(group.low, group.high - maxArticles + 1)
  return textListing({
    // `first` over `low`: older articles are there, too.
    metadata: { newsgroup: plan.newsgroup, ...group, first },
    body: await overview(session, context, group, first),
    entries: async function* (body) {
      for await (const line of linesOf(body, context)) yield overviewEntry(line, plan)
    },
  })
}

async function selectGroup(session: NntpSession, plan: ServerPlan, context: RetrievalContext): Promise<GroupSummary> {
  const reply = await session.exchange(`GROUP ${plan.newsgroup}`)
  if (reply.code !== 211) throw refused(session, context, reply, 'such newsgroup')
  // `211 40 10 49 test.alpha`; INN pads LIST with zeros, here others might.
  const [, count, low, high] = /^(\d{1,16})\s+(\d{1,16})\s+(\d{1,16})\b/.exec(reply.text) ?? []
  if (high === undefined) {
    const message = `The server answered GROUP without the numbers of its articles: ${replyWords(reply)}`
    throw context.error('protocol-violation', message, { reply: replyWords(reply) })
  }
  return { count: Number(count), low: Number(low), high: Number(high) }
}

/** OVER, or XOVER with servers that know only RFC 2980 (sn). No articles, and no such range, are the same: nothing. */
async function overview(
  session: NntpSession,
  context: RetrievalContext,
  { count, low, high }: GroupSummary,
  first: number,
): Promise<AsyncIterable<Uint8Array>> {
  // RFC 3977 6.1.1.2 has three ways to say empty: 0 0 0, high one less than low, and count 0. INN answers `0 1 0`, sn `0 0 0`.
  if (count === 0 || low > high) return nothing(session)
  let reply = await session.exchange(`OVER ${first}-${high}`)
  if (reply.code === 500 || reply.code === 503) reply = await session.exchange(`XOVER ${first}-${high}`)
  if (reply.code === 423 || reply.code === 420) return nothing(session)
  if (reply.code >= 400) throw refused(session, context, reply, 'overview of the group')
  expectReply(context, reply, 224)
  return session.block()
}

function nothing(session: NntpSession): AsyncIterable<Uint8Array> {
  session.end()
  return emptyBody()
}
