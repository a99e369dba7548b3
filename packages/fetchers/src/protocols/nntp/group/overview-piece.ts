import type { ByteSource } from '../../../contract/byte-source.ts'
import { expectReply } from '../../../wire/framing/reply.ts'
import { BlockBody } from '../body.ts'
import { exchange, type NntpLease } from '../connection/exchange.ts'
import { blockText } from '../fields.ts'
import { refusedByServer } from '../nntp-errors.ts'
import { plannedCommand } from '../planned-command.ts'
import { type ArticleRange, numbersOf } from './article-range.ts'
import { HeadOverview } from './head-overview.ts'

/** The overview of a range. `body` is null if the range has no articles. */
export interface OverviewPiece {
  readonly range: ArticleRange
  readonly body: ByteSource | null
}

/** How many articles are wanted, and the range in which the group has articles. */
export interface OverviewLimits {
  readonly bounds: ArticleRange
  readonly limit: number
}

/**
 * Asks for the overview of a range by OVER, by XOVER if the server knows only RFC 2980 (sn), or makes it from each
 * article's HEAD. For HEAD, LISTGROUP gives the numbers that exist; the piece then has all articles that are wanted.
 */
export async function overviewPiece(
  lease: NntpLease,
  range: ArticleRange,
  limits: OverviewLimits,
): Promise<OverviewPiece> {
  const { session, plan, context } = lease
  const { quirks } = session
  const group = plannedCommand(plan, 'GROUP')
  while (quirks.overview !== 'HEAD') {
    const command = quirks.overview
    const { reply, pending } = await exchange(lease, `${command} ${range.first}-${range.last}`, group)
    // Servers use both 420 and 423 for a range without articles.
    if (reply.code === 423 || reply.code === 420) return { range, body: null }
    if (reply.code < 400) {
      expectReply(context, reply, 224)
      return { range, body: new BlockBody(lease, pending) }
    }
    if (reply.code !== 500 && reply.code !== 503) throw refusedByServer(context, reply, 'overview of the group')
    quirks.overview = command === 'OVER' ? 'XOVER' : 'HEAD'
  }
  const numbers = await existingNumbers(lease, limits.bounds)
  if (numbers === null) return { range, body: new HeadOverview(lease, numbersOf(range)) }
  const newest = limits.limit < numbers.length ? numbers.slice(-limits.limit) : numbers
  return { range: limits.bounds, body: new HeadOverview(lease, newest) }
}

/**
 * Returns the numbers of the articles that exist, ascending (RFC 3977 6.1.2). Null if the server does not know
 * LISTGROUP.
 */
async function existingNumbers(lease: NntpLease, { first, last }: ArticleRange): Promise<readonly number[] | null> {
  const { session, plan, context } = lease
  if (!session.quirks.hasListGroup) return null
  // LISTGROUP selects the group, too. GROUP is sent before it, so that the session knows which group is selected.
  const { reply, pending } = await exchange(lease, `LISTGROUP ${plan.newsgroup}`, plannedCommand(plan, 'GROUP'))
  if (reply.code !== 211) {
    expectReply(context, reply, 500, 501, 502, 503)
    session.quirks.hasListGroup = false
    return null
  }
  const text = await blockText(session, pending, context, context.limits.maxListing)
  const numbers = text.split('\r\n').flatMap((line) => (/^\d{1,15}\s*$/.test(line) ? [Number(line)] : []))
  return numbers.filter((number) => number >= first && number <= last).sort((one, other) => one - other)
}
