import { loadCharsets, wordCharsets } from '../../mime/charset.ts'
import { type ByteSource, wholeSource } from '../../plugin/byte-source.ts'
import type { Entry, RetrievalContext, Retrieved } from '../../plugin/fetcher.ts'
import { whenHeld } from '../../plugin/limits.ts'
import { linesOf } from '../../wire/framing/lines.ts'
import { expectReply } from '../../wire/framing/reply.ts'
import { textListing } from '../../wire/text-listing.ts'
import { type Dialogue, exchange } from '../connection/exchange.ts'
import type { ServerPlan } from '../connection/session.ts'
import { refusedByServer } from '../nntp-errors.ts'
import { boundsOf, type Extent, likelyExtent } from './article-range.ts'
import { type GroupSummary, groupSummary } from './group-reply.ts'
import { NewestArticles } from './newest-articles.ts'
import { checkNumber, overviewEntry } from './overview.ts'
import { type OverviewLimits, overviewPiece } from './overview-piece.ts'

/**
 * A newsgroup: the overview of its newest articles, or of a range (RFC 3977 8.3), one line each, fields between TABs.
 */
export async function retrieveGroup(dialogue: Dialogue, maxArticles: number): Promise<Retrieved<'nntp'>> {
  const { plan, context } = dialogue
  const group = await selectGroup(dialogue)
  const { articleRange } = plan
  const limit = context.request.limit ?? (articleRange === undefined ? maxArticles : Number.POSITIVE_INFINITY)
  const bounds = boundsOf(group, articleRange ?? [group.low, null])
  const extent = bounds === null ? null : likelyExtent(group, bounds, limit)
  return textListing({
    // `low` is the group's first number; `first` is where the search for the newest articles began.
    metadata: { newsgroup: plan.newsgroup, ...group, ...extent },
    body: bounds === null || extent === null ? nothing(dialogue) : await overview(dialogue, extent, { bounds, limit }),
    entries: (body) => newestFirst(body, plan, context, bounds),
  })
}

async function selectGroup(dialogue: Dialogue): Promise<GroupSummary> {
  const { session, plan, context } = dialogue
  const { reply, slot } = await exchange(dialogue, `GROUP ${plan.newsgroup}`)
  session.end(slot)
  if (reply.code >= 400) throw refusedByServer(context, reply, 'such newsgroup')
  expectReply(context, reply, 211)
  return groupSummary(context, reply)
}

/** All of a range comes as the server sends it; of fewer articles the newest are collected first. */
async function overview(dialogue: Dialogue, extent: Extent, limits: OverviewLimits): Promise<ByteSource> {
  if (limits.limit !== Number.POSITIVE_INFINITY) {
    return NewestArticles.begin({ ...dialogue, context: holding(dialogue.context) }, extent, limits)
  }
  const { body } = await overviewPiece(dialogue, extent, limits)
  return body ?? nothing(dialogue)
}

/** For lines that are held until all have come. */
function holding(context: RetrievalContext): RetrievalContext {
  return { ...context, limits: whenHeld(context.limits) }
}

function nothing(dialogue: Dialogue): ByteSource {
  dialogue.done()
  return wholeSource()
}

/** Servers list articles by number, the oldest first. */
async function* newestFirst(
  body: AsyncIterable<Uint8Array>,
  plan: ServerPlan,
  context: RetrievalContext,
  bounds: Extent | null,
): AsyncGenerator<Entry, void, void> {
  const lines: string[] = []
  for await (const line of linesOf(body, holding(context))) {
    if (bounds !== null) checkNumber(line, bounds, context)
    lines.push(line)
  }
  await loadCharsets(lines.flatMap((line) => [...wordCharsets(line)]))
  for (const line of lines.reverse()) yield overviewEntry(line, plan)
}
