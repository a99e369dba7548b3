import type { Entry, RetrievalContext, Retrieved } from '../fetcher.ts'
import { whenHeld } from '../limits.ts'
import { emptyBody } from '../wire/empty-body.ts'
import { linesOf } from '../wire/lines.ts'
import { expectReply, replyWords } from '../wire/reply.ts'
import { textListing } from '../wire/text-listing.ts'
import { BlockBody } from './body.ts'
import { type Dialogue, exchange } from './exchange.ts'
import { HeadOverview } from './head-overview.ts'
import { overviewEntry } from './overview.ts'
import { refused } from './refused.ts'
import type { ServerPlan } from './session.ts'

/** What GROUP answers (RFC 3977 6.1.1): an estimate of how many articles there are, and their numbers' bounds. */
interface GroupSummary {
  readonly count: number
  readonly low: number
  readonly high: number
}

/** Numbers of articles, both inclusive. */
export interface Extent {
  readonly first: number
  readonly last: number
}

/** A newsgroup: the overview of its newest articles, or of a range (RFC 3977 8.3), one line each, fields between TABs. */
export async function retrieveGroup(dialogue: Dialogue, maxArticles: number): Promise<Retrieved> {
  const { plan, context } = dialogue
  const group = await selectGroup(dialogue)
  const { articleRange } = plan
  const limit = context.request.limit ?? (articleRange === undefined ? maxArticles : Number.POSITIVE_INFINITY)
  const extent = extentOf(group, articleRange ?? [group.low, null], limit)
  return textListing({
    // `first` over `low`: older articles are there, too.
    metadata: { newsgroup: plan.newsgroup, ...group, ...extent },
    body: extent === null ? nothing(dialogue) : await overview(dialogue, extent),
    entries: (body) => newestFirst(body, plan, context, limit),
  })
}

async function selectGroup(dialogue: Dialogue): Promise<GroupSummary> {
  const { session, plan, context } = dialogue
  const { reply, slot } = await exchange(dialogue, `GROUP ${plan.newsgroup}`)
  session.end(slot)
  if (reply.code >= 400) throw refused(context, reply, 'such newsgroup')
  expectReply(context, reply, 211)
  // `211 40 10 49 test.alpha`; INN pads LIST with zeros, here others might.
  const [, count, low, high] = /^(\d{1,16})\s+(\d{1,16})\s+(\d{1,16})\b/.exec(reply.text) ?? []
  if (high === undefined) {
    const message = `The server answered GROUP without the numbers of its articles: ${replyWords(reply)}`
    throw context.error('protocol-violation', message, { reply: replyWords(reply) })
  }
  return { count: Number(count), low: Number(low), high: Number(high) }
}

/**
 * Those of a range that may exist, and of those the numbers of the newest `limit` articles, where they lie as close as the group's
 * lie on the whole. Null: there are none. RFC 3977 6.1.1.2 has three ways to say empty: 0 0 0, high one less than low, and count 0.
 * INN answers `0 1 0`, sn `0 0 0`.
 */
function extentOf(
  { count, low, high }: GroupSummary,
  range: readonly [number, number | null],
  limit: number,
): Extent | null {
  const last = Math.min(high, range[1] ?? high)
  const density = Math.min(1, count / (high - low + 1))
  const first = Math.max(low, range[0], last + 1 - Math.ceil(limit / density))
  return count === 0 || low > high || first > last ? null : { first, last }
}

/** OVER, XOVER with servers that know only RFC 2980 (sn), or HEAD for each article. */
async function overview(dialogue: Dialogue, extent: Extent): Promise<AsyncIterable<Uint8Array>> {
  const { session, plan, context } = dialogue
  const { habits } = session
  while (habits.overview !== 'HEAD') {
    const command = habits.overview
    const { reply, slot } = await exchange(dialogue, `${command} ${extent.first}-${extent.last}`, plan.newsgroup)
    // No articles, and no such range, are the same.
    if (reply.code === 423 || reply.code === 420) return nothing(dialogue)
    if (reply.code < 400) {
      expectReply(context, reply, 224)
      return new BlockBody(dialogue, slot)
    }
    if (reply.code !== 500 && reply.code !== 503) throw refused(context, reply, 'overview of the group')
    habits.overview = command === 'OVER' ? 'XOVER' : 'HEAD'
  }
  return new HeadOverview(dialogue, extent)
}

function nothing(dialogue: Dialogue): AsyncIterable<Uint8Array> {
  dialogue.done()
  return emptyBody()
}

/** Servers list them by number, the oldest first. */
async function* newestFirst(
  body: AsyncIterable<Uint8Array>,
  plan: ServerPlan,
  context: RetrievalContext,
  limit: number,
): AsyncGenerator<Entry, void, void> {
  const lines: string[] = []
  const held = { ...context, limits: whenHeld(context.limits) }
  for await (const line of linesOf(body, held)) lines.push(line)
  const newest = lines.reverse()
  for (const line of limit < lines.length ? newest.slice(0, limit) : newest) yield overviewEntry(line, plan)
}
