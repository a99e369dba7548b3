import { adviceText } from '@retriever/core/internal'
import type { ByteSource } from '../../../contract/byte-source.ts'
import type { Entry, RetrievalContext, Retrieved } from '../../../contract/fetcher.ts'
import { wholeSource } from '../../../kit/byte-source.ts'
import { whenHeld } from '../../../kit/limits.ts'
import { loadCharsets, wordCharsets } from '../../../mime/charset/charset.ts'
import { linesOf } from '../../../wire/framing/lines.ts'
import { expectReply } from '../../../wire/framing/reply.ts'
import { textListing } from '../../../wire/text-listing.ts'
import { exchange, type NntpLease } from '../connection/exchange.ts'
import type { ServerPlan } from '../connection/session.ts'
import { refusedByServer } from '../nntp-errors.ts'
import { plannedCommand } from '../planned-command.ts'
import { type ArticleRange, boundsOf, likelyRange } from './article-range.ts'
import { type GroupSummary, groupSummary } from './group-reply.ts'
import { NewestArticles } from './newest-articles.ts'
import { checkNumber, overviewEntry } from './overview.ts'
import { type OverviewLimits, overviewPiece } from './overview-piece.ts'

/** Retrieves the overview of a newsgroup's newest articles or of a range: lines with TABs (RFC 3977 8.3). */
export async function retrieveGroup(lease: NntpLease, maxArticles: number): Promise<Retrieved<'nntp'>> {
  const { plan, context } = lease
  const group = await selectGroup(lease)
  const { articleRange } = plan
  const limit = context.request.limit ?? (articleRange === undefined ? maxArticles : Number.POSITIVE_INFINITY)
  const bounds = boundsOf(group, articleRange ?? [group.low, null])
  const range = bounds === null ? null : likelyRange(group, bounds, limit)
  if (bounds !== null) tellLimit(group, bounds, limit, context)
  return textListing({
    // `low` is the group's first number; `first` is where the search for the newest articles began.
    metadata: { newsgroup: plan.newsgroup, ...group, ...range },
    body: bounds === null || range === null ? nothing(lease) : await overview(lease, range, { bounds, limit }),
    entries: overviewEntries(plan, context, bounds),
  })
}

/** Says that there are more articles, if the server's estimate shows it. */
function tellLimit(
  { count }: GroupSummary,
  { first, last }: ArticleRange,
  limit: number,
  context: RetrievalContext,
): void {
  const most = Math.min(count, last + 1 - first)
  if (most <= limit) return
  const advice = { option: 'limit' } as const
  const what = `The server has about ${most} articles there; the newest ${limit} are listed`
  context.emit({ type: 'remark', url: context.url, message: `${what} (${adviceText(advice)}).`, advice })
}

async function selectGroup(lease: NntpLease): Promise<GroupSummary> {
  const { session, plan, context } = lease
  const { reply, pending } = await exchange(lease, plannedCommand(plan, 'GROUP'))
  session.end(pending)
  if (reply.code >= 400) throw refusedByServer(context, reply, 'such newsgroup')
  expectReply(context, reply, 211)
  return groupSummary(context, reply)
}

/** Gives a whole range as the server sends it. If there is a limit, collects the lines to find the newest. */
async function overview(lease: NntpLease, range: ArticleRange, limits: OverviewLimits): Promise<ByteSource> {
  if (limits.limit !== Number.POSITIVE_INFINITY) {
    return NewestArticles.begin({ ...lease, context: holding(lease.context) }, range, limits)
  }
  const { body } = await overviewPiece(lease, range, limits)
  return body ?? nothing(lease)
}

/** Makes a context for lines that are held until all have arrived: limits.maxCollected counts. */
function holding(context: RetrievalContext): RetrievalContext {
  return { ...context, limits: whenHeld(context.limits) }
}

function nothing(lease: NntpLease): ByteSource {
  lease.giveBack()
  return wholeSource()
}

/** The entries of an overview. `bounds`: the numbers that were asked for; null if nobody knows them any more. */
export function overviewEntries(
  plan: ServerPlan,
  context: RetrievalContext,
  bounds: ArticleRange | null,
): NonNullable<Retrieved['entries']> {
  return (body) => newestFirst(body, plan, context, bounds)
}

/** Reverses the entries, since servers list articles by number, the oldest first. */
async function* newestFirst(
  body: AsyncIterable<Uint8Array>,
  plan: ServerPlan,
  context: RetrievalContext,
  bounds: ArticleRange | null,
): AsyncGenerator<Entry, void, void> {
  const lines: string[] = []
  for await (const line of linesOf(body, holding(context))) {
    if (bounds !== null) checkNumber(line, bounds, context)
    lines.push(line)
  }
  await loadCharsets(lines.flatMap((line) => [...wordCharsets(line)]))
  for (const line of lines.reverse()) yield overviewEntry(line, plan)
}
